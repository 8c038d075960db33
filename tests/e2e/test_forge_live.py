"""A change request to a Skill Lift comment on both forges: the action's image and the component, real containers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e import act_runner, gitlab_runner
from tests.e2e import live_repository as catalogue
from tests.e2e.test_act_github import NUMBER, pull_request
from tests.fakes.github import FakeGitHub
from tests.fakes.gitlab import FakeGitLab
from tests.git_history import git

pytestmark = pytest.mark.e2e
SKILL = "skills/tide-tally/SKILL.md"


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalogue.images(tmp_path_factory.mktemp("fetch"))


def branches(repo: Path) -> tuple[str, str]:
    """main's skill lacks its script; the branch names it."""
    git(repo, "checkout", "--quiet", "-B", "main")
    shutil.rmtree(repo / "skills", ignore_errors=True)
    for name, text in {**catalogue.files(complete=False), "aces.yml": catalogue.policy("builtin")}.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text, encoding="utf-8")
    base = saved(repo)
    git(repo, "update-ref", "refs/remotes/origin/main", base)
    git(repo, "checkout", "--quiet", "-B", "topic")
    (repo / SKILL).write_text(catalogue.files(complete=True)[SKILL], encoding="utf-8")
    return base, saved(repo)


def saved(repo: Path) -> str:
    """Commit everything."""
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "-m", "step")
    return git(repo, "rev-parse", "HEAD")


def test_the_real_action_measures_agents_and_comments_the_lift(images: None, tmp_path: Path) -> None:
    with FakeGitHub().running() as fake:
        made = act_runner.runner(tmp_path, fake, "minimal.yml")
        made.edit(
            "aces-ci/aces-ci@v0.4.0", f"aces-ci/aces-ci@v0.4.0\n        env: {{ACES_IMAGE: '{catalogue.GATEWAY}'}}"
        )
        made.base, made.head = branches(made.repo)
        code, log = made.run("pull_request", pull_request(made, "opened"))
        assert code == 0, log
        (body,) = fake.bodies(NUMBER)
    assert "### ✅ aces-ci: improved, agents do better with this `tide-tally`" in body, log
    assert "**+100 points** against `main`" in body
    assert "verdict: improved" in log


def test_the_component_measures_agents_and_notes_the_lift(images: None, tmp_path: Path) -> None:
    with FakeGitLab().running() as fake:
        made = gitlab_runner.project(tmp_path, fake, gitlab_runner.INCLUDE_LOCAL)
        made.base, made.head = branches(made.path)
        fake.change(gitlab_runner.NUMBER, made.head)
        made.variables["ACES_IMAGE"] = catalogue.GATEWAY
        code, log = made.run("aces-ci:live")
        assert code == 0, log
        (body,) = fake.bodies(gitlab_runner.NUMBER)
    assert "### ✅ aces-ci: improved, agents do better with this `tide-tally`" in body, log
    assert "/-/blob/" in body or "/-/commit/" in body
    results = made.path / "aces-results"
    assert 'aces_lift{skill="skills/tide-tally",contrast="change",part="point"} 1.0000' in (
        results / "metrics.txt"
    ).read_text("utf-8")


def test_nothing_of_a_run_is_left_in_the_daemon() -> None:
    found = subprocess.run(
        ["docker", "ps", "--all", "--quiet", "--filter", "label=aces-ci.run"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert found.stdout.split() == []
