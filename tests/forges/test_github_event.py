"""GitHub's payloads, word by word."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import NotPermitted, UsageError
from aces_ci.core.event import EventKind, Trust
from aces_ci.forges.github import GitHub
from aces_ci.ports.forge import ForgeOptions
from aces_ci.shell.log import Log
from tests.fakes.github import FakeGitHub
from tests.fakes.server import Answer

HEAD, BASE, TIP = "a" * 40, "b" * 40, "c" * 40
REPOSITORY = {"id": 500, "full_name": "acme/agent-skills", "default_branch": "main"}


def pull(**more: Any) -> dict[str, Any]:
    """A pull request of the repository's own branch."""
    return {
        "number": 42,
        "state": "open",
        "labels": [{"name": "aces:live"}, {"name": "bug"}],
        "head": {"sha": HEAD, "ref": "patch-1", "repo": {"id": 500, "full_name": "acme/agent-skills"}},
        "base": {"sha": BASE, "ref": "main", "repo": {"id": 500, "full_name": "acme/agent-skills"}},
        **more,
    }


def forge(tmp_path: Path, name: str, payload: object, **env: str) -> GitHub:
    """A forge under one event."""
    path = tmp_path / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    return GitHub(
        {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": "acme/agent-skills",
            "GITHUB_SHA": TIP,
            "GITHUB_RUN_ID": "8101",
            "GITHUB_ACTOR": "mira-k",
            **env,
        },
        Log(io.StringIO()),
        ForgeOptions(token="tok", api_url=env.get("GITHUB_API_URL")),
    )


def test_pull_request_compares_the_author_s_commit_and_not_the_merge(tmp_path: Path) -> None:
    event = forge(tmp_path, "pull_request", {"pull_request": pull(), "repository": REPOSITORY}).event(tmp_path)
    assert (event.kind, event.head_sha, event.base_sha, event.base_ref) == (
        EventKind.CHANGE_REQUEST,
        HEAD,
        BASE,
        "main",
    )
    assert event.trust is Trust.OWN
    assert event.labels == {"aces:live", "bug"}
    assert event.run_url == "https://github.com/acme/agent-skills/actions/runs/8101"
    assert event.title == "pull_request"


@pytest.mark.parametrize(
    "head_repo",
    [{"id": 9, "full_name": "mira-k/agent-skills"}, None, {"id": 9, "full_name": "acme/agent-skills"}],
    ids=["fork", "deleted", "same name, other repository"],
)
def test_a_head_in_another_repository_is_a_fork(tmp_path: Path, head_repo: object) -> None:
    payload = {
        "pull_request": pull(head={"sha": HEAD, "ref": "patch-1", "repo": head_repo}),
        "repository": REPOSITORY,
    }
    event = forge(tmp_path, "pull_request_target", payload).event(tmp_path)
    assert event.trust is Trust.FORK


def test_the_label_that_triggered_is_told_and_only_that(tmp_path: Path) -> None:
    labelled = {
        "action": "labeled",
        "label": {"name": "aces:live"},
        "pull_request": pull(),
        "repository": REPOSITORY,
    }
    assert forge(tmp_path, "pull_request", labelled).event(tmp_path).label == "aces:live"
    unlabelled = {**labelled, "action": "unlabeled"}
    assert forge(tmp_path, "pull_request", unlabelled).event(tmp_path).label is None


def test_push_compares_with_what_was_there_before(tmp_path: Path) -> None:
    payload = {"ref": "refs/heads/topic/a", "before": BASE, "after": HEAD, "repository": REPOSITORY}
    event = forge(tmp_path, "push", payload).event(tmp_path)
    assert (event.kind, event.base_sha, event.base_ref, event.change_request) == (
        EventKind.PUSH,
        BASE,
        "topic/a",
        None,
    )
    new = forge(tmp_path, "push", {**payload, "before": "0" * 40}).event(tmp_path)
    assert new.base_sha is None


def test_merge_group_names_both_ends_and_no_change_request(tmp_path: Path) -> None:
    group = {"head_sha": HEAD, "base_sha": BASE, "base_ref": "refs/heads/main"}
    event = forge(tmp_path, "merge_group", {"merge_group": group, "repository": REPOSITORY}).event(tmp_path)
    assert (event.kind, event.head_sha, event.base_sha, event.base_ref, event.change_request) == (
        EventKind.MERGE_GROUP,
        HEAD,
        BASE,
        "main",
        None,
    )


@pytest.mark.parametrize(
    ("name", "kind", "trust"),
    [
        ("schedule", EventKind.SCHEDULE, Trust.SCHEDULED),
        ("workflow_dispatch", EventKind.DISPATCH, Trust.OWN),
    ],
)
def test_schedule_and_dispatch_take_the_checked_out_tip(
    tmp_path: Path, name: str, kind: EventKind, trust: Trust
) -> None:
    event = forge(tmp_path, name, {"schedule": "0 3 * * *", "repository": REPOSITORY}).event(tmp_path)
    assert (event.kind, event.trust, event.head_sha, event.base_sha) == (kind, trust, TIP, None)


def test_a_comment_s_head_comes_from_the_api_because_its_payload_has_none(tmp_path: Path) -> None:
    with FakeGitHub().running() as fake:
        fake.pull(42, HEAD, base_sha=BASE, head_repo=(9, "mira-k/agent-skills"))
        payload = {
            "issue": {"number": 42, "pull_request": {}},
            "comment": {"id": 77},
            "repository": REPOSITORY,
        }
        event = forge(tmp_path, "issue_comment", payload, GITHUB_API_URL=fake.url).event(tmp_path)
    assert (event.kind, event.head_sha, event.comment, event.trust) == (EventKind.COMMAND, HEAD, 77, Trust.FORK)


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_may_not_read_the_pull_request_is_no_green_job(tmp_path: Path, status: int) -> None:
    payload = {"issue": {"number": 42, "pull_request": {}}, "comment": {"id": 77}, "repository": REPOSITORY}
    with FakeGitHub().running() as fake:
        fake.server.force("GET", "/pulls/", Answer(status=status, body={"message": "Resource not accessible"}))
        made = forge(tmp_path, "issue_comment", payload, GITHUB_API_URL=fake.url)
        with pytest.raises(UsageError, match="may not read pull request 42") as caught:
            made.event(tmp_path)
    assert "pull-requests: read" in (caught.value.do or "")
    assert NotPermitted.exit_code == 4, "whoever makes no notice of a refusal has no verdict either"


@pytest.mark.parametrize(
    ("name", "payload", "says"),
    [
        ("issue_comment", {"issue": {"number": 1}, "comment": {"id": 1}}, "not under a pull request"),
        ("workflow_run", {}, "aces-ci post"),
        ("push", {"ref": "refs/heads/x", "before": BASE, "after": "0" * 40, "deleted": True}, "deleted"),
        ("release", {}, "release"),
        ("pull_request", {}, "head.sha"),
        ("pull_request", {"pull_request": pull(head={"sha": "abc", "repo": None})}, "full commit SHA"),
        ("pull_request", {"pull_request": pull(number="42")}, "number"),
        ("pull_request", {"pull_request": [1, 2]}, "head.sha"),
        ("merge_group", {"merge_group": {"head_sha": HEAD.upper()}}, "merge_group.head_sha"),
        ("pull_request", "not json", "event file"),
        ("pull_request", "[]", "event file"),
        ("pull_request", "[" * 100_000, "event file"),
    ],
)
def test_what_cannot_be_evaluated_is_one_sentence_and_exit_2(
    tmp_path: Path, name: str, payload: object, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        forge(tmp_path, name, payload).event(tmp_path)
    assert says in caught.value.text()
    assert caught.value.exit_code == 2


def test_no_event_file_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="event file") as caught:
        GitHub({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push"}, Log(io.StringIO())).event(tmp_path)
    assert "aces-ci check" in (caught.value.do or "")


def test_an_unreadable_event_file_is_named_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text("not json")
    env = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(path)}
    with pytest.raises(UsageError, match="event file") as caught:
        GitHub(env, Log(io.StringIO())).event(tmp_path)
    assert caught.value.path == str(path)
