"""The action itself in a real runner, from the label to the Skill Lift comment: containers, gateway, scripted model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import live_repository as catalogue
from tests.e2e.act_runner import Runner, runner
from tests.e2e.test_act_github import NUMBER, pull_request
from tests.fakes.github import FakeGitHub
from tests.git_history import git

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalogue.images(tmp_path_factory.mktemp("fetch"))


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub().running() as made:
        yield made


def labelled(tmp: Path, fake: FakeGitHub, env: str) -> Runner:
    """The example as it is copied; main has the whole skill, the branch one that does not say which script to run."""
    made = runner(tmp, fake, "live-on-label.yml")
    made.edit("ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}", env)
    git(made.repo, "checkout", "--quiet", "main")
    shutil.rmtree(made.repo / "skills")
    made.base = commit(made.repo, {"aces.yml": catalogue.policy("builtin"), **catalogue.files(complete=True)})
    git(made.repo, "update-ref", "refs/remotes/origin/main", made.base)
    git(made.repo, "checkout", "--quiet", "-B", "topic")
    name = "skills/tide-tally/SKILL.md"
    made.head = commit(made.repo, {name: catalogue.files(complete=False)[name]})
    return made


def commit(repo: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text, encoding="utf-8")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "-m", "step")
    return git(repo, "rev-parse", "HEAD")


def test_the_label_measures_the_change_and_the_comment_blocks_it(
    images: None, tmp_path: Path, fake: FakeGitHub
) -> None:
    made = labelled(tmp_path, fake, f"ACES_IMAGE: {catalogue.GATEWAY}")
    document = pull_request(made, "labeled", labels=["aces:live"])
    document["label"]["name"] = "aces:live"
    code, log = made.run("pull_request", document)
    assert "verdict: blocked by gate regression" in log and code == 1, log
    assert "comment created" in log
    (body,) = fake.bodies(NUMBER)
    assert "### ❌ aces-ci: blocked, `tide-tally` got worse than on `main`" in body, log
    assert "95\u00a0% interval [" in body and "3 cases × 3 runs an arm, all 27 finished" in body
    assert "label `aces:accept`" in body
    assert f"head={made.head}" in body
    assert "tide-tally got worse than on main" in log, "the annotation reached the runner"
    report = json.loads((made.tmp / "artifacts/aces-results/report.json").read_text("utf-8"))
    (skill,) = report["skills"]
    assert skill["live"]["word"] == "regressed" and skill["live"]["sandbox"]
    assert (made.tmp / "artifacts/aces-results/evidence.jsonl").exists()
