"""The component's live job in a real runner: merge request -> containers -> Skill Lift note, reports, exit code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import live_repository as catalogue
from tests.e2e.gitlab_runner import INCLUDE_LOCAL, NUMBER, ROOT, Project
from tests.fakes.gitlab import FakeGitLab
from tests.git_history import git

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalogue.images(tmp_path_factory.mktemp("fetch"))


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        yield made


def project(tmp: Path, fake: FakeGitLab, *, policy: str) -> Project:
    """main has the whole skill, the branch one that does not say which script to run."""
    path = tmp / "project"
    (path / "templates").mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main", ".")
    shutil.copy(ROOT / "gitlab-ci-component.yml", path)
    files = {".gitlab-ci.yml": INCLUDE_LOCAL, "aces.yml": policy, **catalogue.files(complete=True)}
    base = commit(path, files)
    git(path, "remote", "add", "origin", "git@gitlab.example:acme/agent-skills.git")
    git(path, "update-ref", "refs/remotes/origin/main", base)
    git(path, "checkout", "--quiet", "-b", "topic")
    name = "skills/tide-tally/SKILL.md"
    head = commit(path, {name: catalogue.files(complete=False)[name]})
    fake.change(NUMBER, head)
    return Project(path, fake, base, head, {"ACES_IMAGE": catalogue.GATEWAY}, seconds=900)


def commit(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "-m", "step")
    return git(path, "rev-parse", "HEAD")


def test_the_button_measures_the_change_and_the_note_blocks_it(images: None, tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, policy=catalogue.policy("builtin"))
    code, log = made.run("aces-ci:live", CI_MERGE_REQUEST_LABELS="aces:live")
    assert code == 1, log
    (note,) = fake.bodies(NUMBER)
    assert "### ❌ aces-ci: blocked, `tide-tally` got worse than on `main`" in note, log
    assert "95\u00a0% interval [" in note and "3 cases × 3 runs an arm" in note
    assert "label `aces:accept`, then ▶ on `aces-ci` again" in note
    assert f"https://gitlab.example/acme/agent-skills/-/commit/{made.head}" in note
    assert "[log](" not in note.split("<sub>")[1]
    results = made.path / "aces-results"
    (skill,) = json.loads((results / "report.json").read_text("utf-8"))["skills"]
    assert skill["live"]["word"] == "regressed" and skill["live"]["sandbox"]
    assert "against main" in (results / "junit.xml").read_text("utf-8")
    assert (
        'aces_lift{skill="skills/tide-tally",contrast="change",part="point"}' in (results / "metrics.txt").read_text()
    )
    assert len((results / "pushes.jsonl").read_text().splitlines()) == 1
    assert "verdict: blocked by gate regression" in log


def test_the_button_without_a_key_is_skipped_because(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, policy="version: 1\n")
    code, log = made.run("aces-ci:live", CI_MERGE_REQUEST_LABELS="aces:live")
    assert code == 0, log
    (note,) = fake.bodies(NUMBER)
    assert "live: no provider key is set" in note and "skipped: live (no provider key is set)" in log
