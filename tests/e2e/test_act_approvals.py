"""The examples in which a fork's commit waits for a person, in a real workflow runner.

The runner cannot hold a job back for a review; whether there was one, the fake's API says, and that is what counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.sticky import Marker
from tests.e2e.act_runner import Runner, payload, runner
from tests.e2e.test_act_github import FORK_ID, NUMBER, RUN, of_repository, pull_request
from tests.fakes.github import BOT, PERSON, FakeGitHub
from tests.git_history import git

pytestmark = pytest.mark.e2e
FORK = (FORK_ID, "mira-k/agent-skills")
LOCAL = "/artifacts/origin.git"
# The address of the real server leads to the copy that the runner has mounted.
FETCHES = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": f"url.{LOCAL}.insteadOf",
    "GIT_CONFIG_VALUE_0": "https://github.com/acme/agent-skills",
    "GITHUB_RUN_ID": str(RUN),
}


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub().running() as made:
        made.permissions.update({"ana": "maintain", "mira-k": "read"})
        yield made


def of_a_fork(made: Runner) -> None:
    """The checkout has the default branch alone; the fork's commit is with the server."""
    origin = made.tmp / "artifacts/origin.git"
    git(made.repo, "clone", "--quiet", "--bare", str(made.repo), str(origin))
    git(origin, "update-ref", f"refs/pull/{NUMBER}/head", made.head)
    git(made.repo, "checkout", "--quiet", "main")
    git(made.repo, "branch", "--quiet", "-D", "topic")
    git(made.repo, "reflog", "expire", "--expire=now", "--all")
    git(made.repo, "gc", "--quiet", "--prune=now")
    assert made.head not in git(made.repo, "rev-list", "--all")
    # The runner copies no empty folder, and without `.git/refs` this would be no repository.
    git(made.repo, "update-ref", "refs/heads/kept", made.base)


def words() -> list[str]:
    return [word for name, value in FETCHES.items() for word in ("--env", f"{name}={value}")]


def commanded(made: Runner, line: str) -> dict[str, Any]:
    """A recorded issue_comment payload about a comment that stands under the pull request."""
    document = of_repository(made.fake, payload("issue_comment", "created"))
    document["issue"].update(number=NUMBER, pull_request={"url": "https://example.invalid"})
    document["comment"].update(id=made.fake.comment(NUMBER, line, PERSON)["id"], body=line)
    return document


def untouched(made: Runner) -> bool:
    """Nothing of the fork lies in the checkout as a file."""
    text = (made.repo / "skills/parcel-quote/SKILL.md").read_text()
    return "parcel_quote" not in text


def test_the_review_of_an_environment_lets_the_job_of_the_default_branch_spend(
    tmp_path: Path, fake: FakeGitHub
) -> None:
    made = runner(tmp_path, fake, "forks-environment.yml", "skills-live.yml")
    of_a_fork(made)
    document = pull_request(made, "opened", head_repo=FORK)
    fake.run(RUN, "pull_request_target", made.base)
    code, log = made.run("pull_request_target", document, *words())
    assert code == 1, log
    assert "Nobody approved aces-live for this run" in log, log
    assert "verdict: blocked by gate spec" in log, f"the fork's own text is checked all the same: {log}"
    fake.review(RUN, "aces-live", "ana")
    code, log = made.run("pull_request_target", document, *words())
    assert "Nobody approved" not in log
    assert re.search(r"skipped: judge \((?!fork)", log), log
    assert not re.search(r"skipped: (judge|live) \(fork", log)
    (body,) = fake.bodies(NUMBER)
    assert f"head={made.head}" in body
    assert untouched(made)


def test_a_command_with_the_full_sha_lets_the_job_spend_once(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "forks-live.yml", "skills-live.yml")
    of_a_fork(made)
    fake.pull(NUMBER, made.head, base_sha=made.base, head_repo=FORK)
    document = commanded(made, f"/aces live {made.head}")
    code, log = made.run("issue_comment", document, *words())
    assert code == 1, log
    assert "Approving needs write access, and this account has read" in log
    fake.permissions["mira-k"] = "write"
    code, log = made.run("issue_comment", document, *words())
    assert not re.search(r"skipped: (judge|live) \(fork", log), log
    assert "notice:" not in log or "Approving needs" not in log
    assert len(fake.reactions) == 1
    code, log = made.run("issue_comment", document, *words())
    assert "This approval has already started a run" in log
    assert untouched(made)


def test_two_shards_share_the_approval_that_the_planning_job_took(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "many-runners.yml")
    made.edit("shards: 8", "shards: 2")
    made.edit("  pull_request:\n    types: [opened, synchronize, reopened, labeled]\n", "  issue_comment:\n")
    of_a_fork(made)
    fake.pull(NUMBER, made.head, base_sha=made.base, head_repo=FORK)
    fake.permissions["mira-k"] = "write"
    code, log = made.run("issue_comment", commanded(made, f"/aces live {made.head}"), *words())
    assert code == 1, log
    assert len(fake.reactions) == 1
    assert "already started a run" not in log
    assert not re.search(r"skipped: (judge|live) \(fork", log), log
    _, body = fake.bodies(NUMBER)
    assert "parcel-quote" in body, log
    assert "log-triage" in body


def test_a_maintainer_s_label_below_our_comment_starts_the_same_job(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "forks-live.yml", "skills-live.yml")
    of_a_fork(made)
    document = pull_request(made, "labeled", head_repo=FORK, labels=["aces:live"])
    document["label"]["name"] = "aces:live"
    fake.comment(NUMBER, Marker(key="default", head=made.head).line + "\nx", BOT)
    fake.happened(NUMBER, "labeled", "ana", label={"name": "aces:live"})
    code, log = made.run("pull_request_target", document, *words())
    assert code == 1, log
    assert "verdict: blocked by gate spec" in log, log
    assert not re.search(r"skipped: (judge|live) \(fork", log), log
    assert fake.pulls[NUMBER]["labels"] == [], "used up"
    assert untouched(made)
