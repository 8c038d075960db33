"""GitLab's predefined variables to an `Event`.

In a merged-results pipeline CI_COMMIT_SHA is a temporary merge; the author's commit is the source branch's.
Labels are frozen into the variables when the pipeline is made, so they are read again from the API.
"""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.forges._payload import NO_COMMIT, SHA, Payload

_DISPATCH = frozenset({"web", "api", "trigger", "pipeline", "parent_pipeline", "chat", "webide"})


def read_event(env: Mapping[str, str], labels: frozenset[str] | None) -> Event:
    """The event that the variables tell. `labels` are those read now; None: only the frozen ones are known.

    Raises:
        UsageError: a pipeline that has no two commits to compare, or variables that contradict each other.
    """
    source = env.get("CI_PIPELINE_SOURCE", "")
    if source == "merge_request_event":
        return _merge_request(env, labels)
    if source == "push":
        before = env.get("CI_COMMIT_BEFORE_SHA", NO_COMMIT)
        return _event(
            env,
            kind=EventKind.PUSH,
            head_sha=_sha(env, "CI_COMMIT_SHA"),
            base_sha=None if before == NO_COMMIT else _sha(env, "CI_COMMIT_BEFORE_SHA"),
            base_ref=env.get("CI_COMMIT_BRANCH"),
        )
    if source == "schedule":
        head = _sha(env, "CI_COMMIT_SHA")
        return _event(env, kind=EventKind.SCHEDULE, head_sha=head, trust=Trust.SCHEDULED)
    if source in _DISPATCH:
        return _event(env, kind=EventKind.DISPATCH, head_sha=_sha(env, "CI_COMMIT_SHA"))
    raise UsageError(
        f"cannot evaluate a pipeline of source {source or '(none)'}",
        code="event_kind",
        at="CI_PIPELINE_SOURCE",
        why="aces-ci does not know it",
        do="run the job for merge_request_event, push, schedule or web",
    )


def _merge_request(env: Mapping[str, str], labels: frozenset[str] | None) -> Event:
    target = env.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
    source_id = env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID")
    # A deleted source project has no id: whose bytes these are can then not be told, which is the same as
    # foreign.
    own = bool(source_id) and source_id == env.get("CI_MERGE_REQUEST_PROJECT_ID")
    known = {
        # The merge base of the last diff: right for a detached pipeline, where the target's tip is not told.
        "base_sha": _sha(env, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA" if target else "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        "base_ref": env.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
        "trust": Trust.OWN if own else Trust.FORK,
        "head_repo": env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH") or None,
        "repo": env.get("CI_MERGE_REQUEST_PROJECT_PATH"),
    }
    if env.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train":
        return _event(env, kind=EventKind.MERGE_GROUP, head_sha=_sha(env, "CI_COMMIT_SHA"), **known)
    head = "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"
    frozen = env.get("CI_MERGE_REQUEST_LABELS", "").split(",")
    number = env.get("CI_MERGE_REQUEST_IID", "")
    if not number.isascii() or not number.isdigit():
        raise Payload({}, "the environment").broken("CI_MERGE_REQUEST_IID", "a number")
    return _event(
        env,
        kind=EventKind.CHANGE_REQUEST,
        head_sha=_sha(env, head if env.get(head) else "CI_COMMIT_SHA"),
        change_request=int(number),
        labels=labels if labels is not None else frozenset(filter(None, (name.strip() for name in frozen))),
        **known,
    )


def _sha(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "")
    if SHA.fullmatch(value) and value != NO_COMMIT:
        return value
    raise Payload({}, "the environment").broken(name, "a full commit SHA")


def _event(env: Mapping[str, str], *, kind: EventKind, head_sha: str, **known: object) -> Event:
    repo = known.pop("repo", None) or env.get("CI_PROJECT_PATH")
    if not isinstance(repo, str):
        raise Payload({}, "the environment").broken("CI_PROJECT_PATH", "a path")
    return Event(
        kind=kind,
        forge="gitlab",
        repo=repo,
        head_sha=head_sha,
        default_branch=env.get("CI_DEFAULT_BRANCH"),
        server_url=env.get("CI_SERVER_URL", "https://gitlab.com").rstrip("/"),
        run_url=env.get("CI_JOB_URL"),
        actor=env.get("GITLAB_USER_LOGIN"),
        title=env.get("CI_PIPELINE_SOURCE"),
        **known,  # type: ignore[arg-type]
    )
