"""A slash command under a fork's pull request, through the whole run."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.jobs.run import Options, run
from tests.fakes.github import PERSON
from tests.fakes.server import Answer, Request
from tests.forges.fork_scene import NUMBER, Fork, fork


def commanded(made: Fork, line: str) -> tuple[str, list[str]]:
    """The job that a person's comment starts: its log, and why live did not run."""
    comment = made.fake.comment(NUMBER, line, PERSON)["id"]
    payload = {
        "issue": {"number": NUMBER, "pull_request": {}},
        "comment": {"id": comment},
        "repository": {"full_name": made.fake.repo, "id": made.fake.repo_id, "default_branch": "main"},
    }
    log = io.StringIO()
    output = made.tmp / f"command-{comment}"
    env = {**made.env("issue_comment", payload, "tok"), "ACES_LIVE_WHEN": "label"}
    run(Options(repo=made.repo, output=output), env=env, stdout=io.StringIO(), stderr=log)
    document = json.loads((output / "report.json").read_text())
    return log.getvalue(), [row["because"] for row in document["skipped"] if row["tier"] == "live"]


def test_a_stranger_is_told_why_not_and_a_writer_is_let_through_once(tmp_path: Path) -> None:
    with fork(tmp_path) as made:
        log, why = commanded(made, f"/aces live {made.head}")
        assert "notice: Approving needs write access" in log
        assert why == ["Approving needs write access, and this account has read; ask a maintainer"]
        made.fake.permissions["mira-k"] = "write"
        log, why = commanded(made, f"/aces live {made.head}")
        assert "Approving needs" not in log
        assert why
        assert not any("approve" in reason.lower() for reason in why), why
        assert len(made.fake.reactions) == 1


def test_a_push_after_the_approval_and_before_the_spending_stops_it(tmp_path: Path) -> None:
    with fork(tmp_path) as made:
        made.fake.permissions["mira-k"] = "write"

        def push(request: Request, answer: Answer) -> None:
            if request.path.endswith("/reactions"):
                made.fake.pulls[NUMBER]["head"]["sha"] = "f" * 40

        made.fake.server.watch = push
        _, why = commanded(made, f"/aces live {made.head}")
    assert why == ["The head is not the approved commit any more; look at " + "f" * 40 + " and approve that"]
    assert made.fake.bodies(NUMBER)[1:] == [], "and the old head gets no comment"


def test_a_fork_s_commit_that_nobody_fetched_is_one_error_with_the_command_that_brings_it(tmp_path: Path) -> None:
    with fork(tmp_path) as made:
        made.fake.pulls[NUMBER]["head"]["sha"] = "f" * 40
        with pytest.raises(UsageError, match="names no commit") as caught:
            commanded(made, f"/aces live {'f' * 40}")
    assert f"git fetch --no-tags origin refs/pull/{NUMBER}/head" in (caught.value.do or "")
