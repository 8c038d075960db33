"""GitHub's event file to an `Event`.

The comparison's ends come from the payload, not from GITHUB_SHA: on `pull_request` that is a merge commit
which the author's page never shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.forges._payload import NO_COMMIT, SHA, Payload

REVIEW_EVENTS = ("pull_request", "pull_request_target")


def read_event(env: Mapping[str, str], payload: Payload, change: Callable[[int], Payload]) -> Event:
    """The event that GITHUB_EVENT_NAME and its payload tell. `change` reads one pull request from the API.

    Raises:
        UsageError: an event that has no two commits to compare, or a payload that is not one.
    """
    name = env.get("GITHUB_EVENT_NAME", "")
    readers = {
        "push": _push,
        "merge_group": _merge_group,
        "workflow_dispatch": _tip,
        "schedule": _tip,
        "repository_dispatch": _tip,
    }
    if name in REVIEW_EVENTS:
        return _pull_request(env, payload, Payload(payload.get("pull_request"), payload.source))
    if name == "issue_comment":
        if not isinstance(payload.get("issue.pull_request"), dict):
            raise _not_ours(name, "the comment stands under an issue, not under a pull request")
        number = payload.number("issue.number")
        comment = payload.number("comment.id")
        return _pull_request(env, payload, change(number), comment=comment)
    if name == "workflow_run":
        raise _not_ours(name, "it follows another run and has nothing to compare", do="use `aces-ci post` there")
    if name not in readers:
        raise _not_ours(name or "(none)", "aces-ci does not know it")
    return readers[name](env, payload)


def _pull_request(env: Mapping[str, str], payload: Payload, change: Payload, *, comment: int | None = None) -> Event:
    # A deleted fork has no `repo`: whose bytes these are can then not be told, which is the same as foreign.
    own = change.get("head.repo.id")
    label = payload.get("label.name") if payload.get("action") == "labeled" else None
    return _event(
        env,
        payload,
        kind=EventKind.CHANGE_REQUEST if comment is None else EventKind.COMMAND,
        head_sha=change.sha("head.sha"),
        base_sha=change.sha("base.sha"),
        base_ref=change.text("base.ref"),
        change_request=change.number("number"),
        labels=change.names("labels"),
        trust=Trust.OWN if own is not None and own == change.get("base.repo.id") else Trust.FORK,
        head_repo=change.get("head.repo.full_name"),
        comment=comment,
        label=label if isinstance(label, str) else None,
    )


def _push(env: Mapping[str, str], payload: Payload) -> Event:
    if payload.get("deleted") is True or payload.get("after") == NO_COMMIT:
        raise _not_ours("push", "it deleted its branch")
    ref = payload.text("ref")
    return _event(
        env,
        payload,
        kind=EventKind.PUSH,
        head_sha=payload.sha("after"),
        # 40 zeros for a new branch: the default branch is the base then.
        base_sha=None if payload.get("before") == NO_COMMIT else payload.sha("before"),
        base_ref=ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None,
    )


def _merge_group(env: Mapping[str, str], payload: Payload) -> Event:
    return _event(
        env,
        payload,
        kind=EventKind.MERGE_GROUP,
        head_sha=payload.sha("merge_group.head_sha"),
        base_sha=payload.sha("merge_group.base_sha"),
        base_ref=payload.text("merge_group.base_ref").removeprefix("refs/heads/"),
    )


def _tip(env: Mapping[str, str], payload: Payload) -> Event:
    sha = env.get("GITHUB_SHA", "")
    if not SHA.fullmatch(sha):
        raise Payload({}, "GITHUB_SHA").broken("GITHUB_SHA", "a full commit SHA")
    scheduled = env.get("GITHUB_EVENT_NAME") == "schedule"
    return _event(
        env,
        payload,
        kind=EventKind.SCHEDULE if scheduled else EventKind.DISPATCH,
        head_sha=sha,
        trust=Trust.SCHEDULED if scheduled else Trust.OWN,
    )


def _event(env: Mapping[str, str], payload: Payload, *, kind: EventKind, head_sha: str, **known: object) -> Event:
    repo = env.get("GITHUB_REPOSITORY") or payload.text("repository.full_name")
    server = env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")
    run = env.get("GITHUB_RUN_ID")
    branch = payload.get("repository.default_branch")
    return Event(
        kind=kind,
        forge="github",
        repo=repo,
        head_sha=head_sha,
        default_branch=branch if isinstance(branch, str) else None,
        server_url=server,
        run_url=f"{server}/{repo}/actions/runs/{run}" if run else None,
        actor=env.get("GITHUB_ACTOR"),
        title=env.get("GITHUB_EVENT_NAME"),
        **known,  # type: ignore[arg-type]
    )


def _not_ours(name: str, why: str, *, do: str | None = None) -> UsageError:
    return UsageError(
        f"cannot evaluate the event {name}",
        code="event_kind",
        why=why,
        do=do or "start aces-ci on pull_request, push, merge_group, workflow_dispatch or schedule",
    )
