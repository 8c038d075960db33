"""`run` from an event to a Skill Lift comment: a real agent in containers behind the gateway, a scripted model."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.jobs.run import Options, run
from tests.e2e import live_repository as catalogue
from tests.fakes.github import FakeGitHub
from tests.git_history import History

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalogue.images(tmp_path_factory.mktemp("fetch"))


def pull(tmp_path: Path, history: History, head: str, base: str, **env: str) -> tuple[int, str, str, dict[str, Any]]:
    """One pull request; exit code, comment, log and report."""
    with FakeGitHub().running() as github:
        payload = {
            "action": "opened",
            "number": 7,
            "pull_request": github.pull(7, head, base_sha=base),
            "repository": {"id": 500, "full_name": "acme/agent-skills", "default_branch": "main"},
            "sender": {"login": "mira-k", "id": 1001, "type": "User"},
        }
        event = tmp_path / "event.json"
        event.write_text(json.dumps(payload), encoding="utf-8")
        out, log = tmp_path / "results", io.StringIO()
        options = Options(repo=history.path, output=out)
        job = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "acme/agent-skills",
            "GITHUB_SERVER_URL": "https://github.com",
            "INPUT_GITHUB_TOKEN": "tok",
            "INPUT_API_URL": github.url,
            "ACES_IMAGE": catalogue.GATEWAY,
            **env,
        }
        code = run(options, env=job, stdout=io.StringIO(), stderr=log)
        comment = "\n".join(github.bodies(7))
    return code, comment, log.getvalue(), json.loads((out / "report.json").read_text("utf-8"))


def branches(history: History, *, complete: bool, policy: str = "") -> tuple[str, str]:
    """main with one form of the skill, a branch with the other."""
    settings = {"aces.yml": policy} if policy else {}
    base = history.commit("main", {**catalogue.files(complete=not complete), **settings})
    name = "skills/tide-tally/SKILL.md"
    return base, history.commit("work", {name: catalogue.files(complete=complete)[name]}, parent=base)


def test_a_change_that_names_its_script_is_improved_with_a_skill_lift_comment(images: None, tmp_path: Path) -> None:
    history = History(tmp_path / "origin")
    base, head = branches(history, complete=True, policy=catalogue.policy())
    code, comment, log, report = pull(tmp_path, history, head, base)
    assert code == 0, log
    (skill,) = report["skills"]
    assert skill["live"]["word"] == "improved", (log, report["skipped"])
    assert "### ✅ aces-ci: improved, agents do better with this `tide-tally`" in comment
    assert "**+100 points** against `main`" in comment
    assert "3 cases × 3 runs an arm" in comment
    assert report["cost"]["usd_micros"] > 0


def test_a_change_that_drops_the_script_is_blocked_and_says_why(images: None, tmp_path: Path) -> None:
    history = History(tmp_path / "origin")
    base, head = branches(history, complete=False, policy=catalogue.policy("builtin"))
    code, comment, log, report = pull(tmp_path, history, head, base)
    assert code == 1, log
    (skill,) = report["skills"]
    assert skill["live"]["word"] == "regressed", (log, report["skipped"])
    assert "got worse than on `main`" in comment
    assert "verdict: blocked by gate regression" in log


def test_a_label_without_a_key_is_skipped_because(images: None, tmp_path: Path) -> None:
    history = History(tmp_path / "origin")
    base, head = branches(history, complete=True)
    code, comment, log, report = pull(tmp_path, history, head, base)
    assert code == 0, log
    assert [row["code"] for row in report["skipped"] if row["tier"] == "live"] == ["no_key"]
    assert "live: no provider key is set" in comment
