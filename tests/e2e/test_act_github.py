"""The examples as users copy them, with the action's image, on recorded payloads, in a real workflow runner."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.act_runner import Runner, commit, payload, runner
from tests.fakes.github import FakeGitHub
from tests.git_history import git, skill

pytestmark = pytest.mark.e2e
NUMBER, FORK_ID, RUN = 42, 9, 8230


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub().running() as made:
        yield made


def of_repository(fake: FakeGitHub, document: dict[str, Any]) -> dict[str, Any]:
    """A recorded payload, told of our repository."""
    document["repository"].update(full_name=fake.repo, id=fake.repo_id, default_branch="main")
    return document


def pull_request(made: Runner, action: str, **more: Any) -> dict[str, Any]:
    """A recorded pull_request payload about the branch."""
    pull = made.fake.pull(NUMBER, made.head, base_sha=made.base, **more)
    document = of_repository(made.fake, payload("pull_request", action))
    for side in ("head", "base"):
        repo = {**document["pull_request"][side]["repo"], **pull[side]["repo"]}
        document["pull_request"][side].update({**pull[side], "repo": repo})
    document["pull_request"].update(number=NUMBER, state="open", labels=pull["labels"])
    document["number"] = NUMBER
    return document


def test_pull_request_comments_annotates_and_fails_by_its_findings(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "minimal.yml")
    code, log = made.run("pull_request", pull_request(made, "opened"))
    assert code == 1
    assert "comment created" in log, log
    assert "verdict: blocked by gate spec" in log
    assert re.search(r"(?m)(::error |❗)", log), "the annotation reached the runner"
    (body,) = fake.bodies(NUMBER)
    assert body.split("\n")[1] == "### ❌ aces-ci: blocked, 1 error in `parcel-quote`"
    assert {item.request.headers["authorization"] for item in fake.server.exchanges} == {"Bearer tok"}

    made.head = commit(made.repo, {"parcel-quote": skill("parcel-quote", "Ask for the weight first.")})
    code, log = made.run("pull_request", pull_request(made, "synchronize"))
    assert code == 0, log
    assert "comment edited" in log
    (body,) = fake.bodies(NUMBER)
    assert f"head={made.head}" in body
    assert "blocked" not in body


def test_a_fork_s_job_may_not_write_and_the_trusted_job_posts_for_it(tmp_path: Path, fake: FakeGitHub) -> None:
    (tmp_path / "fork").mkdir()
    made = runner(tmp_path / "fork", fake, "forks.yml")
    made.secrets = {"GITHUB_TOKEN": "read-only"}
    document = pull_request(made, "opened", head_repo=(FORK_ID, "mira-k/agent-skills"))
    code, log = made.run("pull_request", document)
    assert code == 1, log
    assert "Resource not accessible by integration" in log
    assert fake.bodies(NUMBER) == []
    left = made.tmp / "artifacts/aces-results"
    assert [path.name for path in left.iterdir()] == ["report.json"]

    fake.artifacts[RUN] = [("aces-results", packed(left))]
    fake.runs[RUN] = {
        "id": RUN,
        "event": "pull_request",
        "path": ".github/workflows/skills.yml",
        "head_sha": made.head,
        "head_branch": "patch-1",
        "head_repository": {"id": FORK_ID, "full_name": "mira-k/agent-skills"},
        "repository": {"id": fake.repo_id, "full_name": fake.repo},
    }
    (tmp_path / "trusted").mkdir()
    trusted = runner(tmp_path / "trusted", fake, "forks-post.yml", "skills-post.yml")
    completed = of_repository(fake, payload("workflow_run", "completed"))
    completed["workflow_run"].update(id=RUN, event="pull_request", head_branch="patch-1", pull_requests=[])
    code, log = trusted.run("workflow_run", completed)
    assert code == 0, log
    assert "checkout" not in log
    (body,) = fake.bodies(NUMBER)
    assert "reported by the fork's own job, not verified" in body
    assert "1 error in `parcel-quote`" in body

    fake.runs[RUN]["path"] = ".github/workflows/renamed.yml"
    fake.comments.clear()
    code, log = trusted.run("workflow_run", completed)
    assert code == 1
    assert "not of .github/workflows/skills.yml" in log
    assert fake.bodies(NUMBER) == []


def test_two_shards_and_one_report_job(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "many-runners.yml")
    made.edit("shards: 8", "shards: 2")
    code, log = made.run("pull_request", pull_request(made, "opened"))
    assert code == 1
    assert {path.name for path in (made.tmp / "artifacts").iterdir()} == {
        "aces-shard-1",
        "aces-shard-2",
        "aces-results",
    }, log
    assert log.count("comment created") == 1
    (body,) = fake.bodies(NUMBER)
    assert "parcel-quote" in body
    assert "log-triage" in body
    document = json.loads((made.tmp / "artifacts/aces-results/report.json").read_text())
    assert (len(document["skills"]), document["missing_shards"]) == (2, [])


def test_an_empty_plan_runs_no_shard_and_still_reports(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "many-runners.yml")
    git(made.repo, "reset", "--quiet", "--hard", made.base)
    (made.repo / "README.md").write_text("hello\n")
    made.head = commit(made.repo, {})
    code, log = made.run("pull_request", pull_request(made, "opened"))
    assert code == 0, log
    assert "shard 1" not in log
    assert "verdict: nothing" in log
    assert fake.bodies(NUMBER) == []


def test_merge_group_gates_and_comments_nowhere(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "minimal.yml")
    document = of_repository(fake, payload("merge_group"))
    document["merge_group"].update(head_sha=made.head, base_sha=made.base, base_ref="refs/heads/main")
    code, log = made.run("merge_group", document)
    assert code == 1, log
    assert "github merge_group" in log
    assert "verdict: blocked" in log
    assert not [item for item in fake.server.exchanges if item.request.method != "GET"]


def test_schedule_runs_on_the_default_branch(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "nightly.yml", "skills-nightly.yml")
    git(made.repo, "checkout", "--quiet", "main")
    document = {**of_repository(fake, payload("workflow_dispatch")), "schedule": "17 3 * * 1-5"}
    code, log = made.run("schedule", document)
    assert code == 0, log
    assert "github schedule" in log
    assert "report.json" in {path.name for path in (made.tmp / "artifacts/aces-results").iterdir()}


@pytest.mark.parametrize("label", ["bug", "aces:live"])
def test_of_all_labels_only_ours_starts_the_job(tmp_path: Path, fake: FakeGitHub, label: str) -> None:
    made = runner(tmp_path, fake, "live-on-label.yml")
    document = pull_request(made, "labeled", labels=[label])
    document["label"]["name"] = label
    code, log = made.run("pull_request", document)
    if label == "bug":
        assert (code, fake.server.exchanges) == (0, []), log
        assert "aces-ci 0" not in log
        return
    assert code == 1, log
    assert "github pull_request #42" in log
    assert "skipped: live (no `evals/`" in log or "skipped: live (no evals/" in log, (
        "the label stands, and no case does"
    )
    assert "report.json" in {path.name for path in (made.tmp / "artifacts/aces-results").iterdir()}


def test_without_a_key_the_judge_s_example_says_so_and_saves_nothing(tmp_path: Path, fake: FakeGitHub) -> None:
    made = runner(tmp_path, fake, "judge.yml")
    code, log = made.run("pull_request", pull_request(made, "opened"))
    assert code == 1, log
    assert "skipped: judge (" in log
    assert "verdict: blocked by gate spec" in log
    assert not (made.tmp / "artifacts/cache").exists()
    assert len(fake.bodies(NUMBER)) == 1


def packed(folder: Path) -> bytes:
    """A folder as the artifact service packs it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    return stream.getvalue()
