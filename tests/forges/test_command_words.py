"""`attempts=N` and `case=ID` behind a slash command make the run smaller, and never larger."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aces_ci.jobs.run import Options, plan
from tests.fakes.github import PERSON, FakeGitHub
from tests.forges.fork_scene import FORK, FORK_ID, NUMBER, Fork
from tests.git_history import History, skill

ROOT = "skills/tide-tables"


def suite(*ids: str) -> str:
    rows = [{"id": name, "prompt": f"Read table {name}.", "expected_output": "the high water"} for name in ids]
    return json.dumps({"skill_name": "tide-tables", "evals": rows})


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Fork]:
    """A fork changes a skill that has four cases on main, and adds a fifth."""
    history = History(tmp_path / "repo", bare=False)
    files = {f"{ROOT}/SKILL.md": skill("tide-tables"), f"{ROOT}/evals/evals.json": suite("a", "b", "c", "d")}
    base = history.commit("main", files)
    head = history.commit(
        "patch-1",
        {f"{ROOT}/SKILL.md": skill("tide-tables", "More."), f"{ROOT}/evals/evals.json": suite("a", "b", "c", "d", "e")},
        base,
    )
    with FakeGitHub().running() as fake:
        fake.pull(NUMBER, head, base_sha=base, head_repo=(FORK_ID, FORK))
        fake.permissions["mira-k"] = "write"
        yield Fork(fake, history.path, base, head, tmp_path)


def planned(made: Fork, words: str) -> dict[str, Any]:
    """What the job of `/aces live SHA words` would run."""
    line = f"/aces live {made.head} {words}".rstrip()
    payload = {
        "issue": {"number": NUMBER, "pull_request": {}},
        "comment": {"id": made.fake.comment(NUMBER, line, PERSON)["id"]},
        "repository": {"full_name": made.fake.repo, "id": made.fake.repo_id, "default_branch": "main"},
    }
    out = io.StringIO()
    options = Options(repo=made.repo, output=made.tmp / "out", format="json")
    plan(options, env=made.env("issue_comment", payload, "tok"), stdout=out, stderr=io.StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())["live"]
    return found


def sizes(found: dict[str, Any]) -> dict[str, int]:
    return {row["side"]: row["cases"] for row in found["subjects"]}


def test_cases_and_runs_are_those_that_were_asked_for(made: Fork) -> None:
    everything = planned(made, "")
    assert sizes(everything) == {"base": 4, "head": 5}
    fewer = planned(made, "attempts=3")
    assert sizes(fewer) == {"base": 4, "head": 5}
    assert 0 < fewer["forecast"]["trials"] < everything["forecast"]["trials"]
    two = planned(made, "case=a case=d")
    assert sizes(two) == {"base": 2, "head": 2}
    assert two["forecast"]["trials"] < everything["forecast"]["trials"]
    assert sizes(planned(made, "attempts=3 case=e")) == {"head": 1}


def test_more_runs_than_the_policy_allows_are_not_to_be_had(made: Fork) -> None:
    assert planned(made, "attempts=90")["forecast"]["trials"] == planned(made, "")["forecast"]["trials"]


def test_a_case_that_no_skill_has_is_told(made: Fork) -> None:
    found = planned(made, "case=spring-tide")
    assert found["subjects"] == []
    assert found["skipped"] == [{"skill": ROOT, "because": "the command names none of its cases"}]
