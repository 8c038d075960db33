"""The component in a real runner: both ways to include it, its inputs, rules, shards, reports and the
note."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.gitlab_runner import INCLUDE_COMPONENT, INCLUDE_LOCAL, NUMBER, project
from tests.fakes.gitlab import FakeGitLab
from tests.fakes.judge_model import JudgeModel

pytestmark = pytest.mark.e2e
ISOLATED = "--shell-isolation"
"""Each job in a folder of its own, so that nothing but the cache carries over."""


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        yield made


def test_first_run_posts_the_second_puts_and_the_reports_are_there(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_COMPONENT)
    code, log = made.run()
    assert code == 1, log
    assert "note" not in [row for row in log.splitlines() if "notice:" in row]
    assert "comment created" in log
    (body,) = fake.bodies(NUMBER)
    assert "blocked, 1 error in `parcel-quote`" in body
    assert f"https://gitlab.example/acme/agent-skills/-/blob/{made.head}/skills/parcel-quote/SKILL.md" in body
    code, log = made.run()
    assert "comment unchanged" in log or "comment edited" in log
    assert len(fake.bodies(NUMBER)) == 1
    results = made.path / "aces-results"
    quality = json.loads((results / "gl-code-quality.json").read_text())
    assert {"description", "check_name", "fingerprint", "severity", "location"} <= set(quality[0])
    assert (results / "metrics.txt").read_text().endswith("# EOF\n")
    assert "<testsuite" in (results / "junit.xml").read_text()
    rows = (results / "aces.env").read_text().splitlines()
    assert rows
    assert all("=" in row for row in rows)


def test_an_earlier_note_is_put_in_place(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL)
    made.run()
    note = next(iter(fake.notes.values()))
    note["body"] = note["body"].replace("1 error", "9 errors")
    _, log = made.run()
    assert "comment edited" in log
    assert len(fake.server.seen("PUT")) == 1
    assert len(fake.server.seen("POST")) == 1


def test_what_the_judge_answered_is_restored_in_the_next_pipeline_and_a_fork_s_saves_nothing(
    tmp_path: Path, fake: FakeGitLab
) -> None:
    with JudgeModel().running() as model:
        inputs = {
            "provider_url": f"{model.url}/v1",
            "judge_model": "judge-1",
            "set": "prices=[{model: judge-1, input: 0, output: 0}]",
        }
        said = "".join(f"      {name}: {json.dumps(value)}\n" for name, value in inputs.items())
        made = project(tmp_path, fake, f"{INCLUDE_LOCAL}    inputs:\n{said}")
        made.variables["OPENAI_API_KEY"] = "sk-canary-0123456789abcdef"
        _, log = made.run(
            ISOLATED, CI_MERGE_REQUEST_SOURCE_PROJECT_ID="9000", CI_MERGE_REQUEST_SOURCE_PROJECT_PATH="mira-k/skills"
        )
        assert model.seen == [], log
        _, log = made.run(ISOLATED)
        asked = len(model.seen)
        # Two votes on nine criteria of both sides of one skill: about the other, whose text blocks, nobody is asked.
        assert asked == 2 * 9 * 2, log
        own = made.path / ".gitlab-ci-local"
        for folder in (made.path / "aces-results", own / "builds"):
            shutil.rmtree(folder)
        _, log = made.run(ISOLATED)
        assert len(model.seen) == asked, log
        # The control: without the runner's cache every question is asked again.
        for folder in (made.path / "aces-results", own / "builds", own / "cache"):
            shutil.rmtree(folder)
        made.run(ISOLATED)
        assert len(model.seen) == 2 * asked


def test_without_a_token_everything_but_the_note_works_and_says_why(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL)
    code, log = made.run(ACES_GITLAB_TOKEN="")
    assert code == 1
    assert "job token may not write" in log
    assert fake.bodies(NUMBER) == []
    assert (made.path / "aces-results/gl-code-quality.json").exists()


def test_two_shards_and_one_report(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL + "    inputs: {shards: 2}\n")
    assert set(made.jobs()) == {"aces-ci:shard: [1/2]", "aces-ci:shard: [2/2]", "aces-ci", "aces-ci:live"}
    code, log = made.run()
    assert code == 1, log
    (body,) = fake.bodies(NUMBER)
    assert "parcel-quote" in body
    assert "log-triage" in body
    document = json.loads((made.path / "aces-results/report.json").read_text())
    assert document["missing_shards"] == []
    assert len(document["skills"]) == 2


def test_rules(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL)
    assert made.jobs() == {"aces-ci": "always", "aces-ci:live": "manual"}
    assert made.jobs(CI_MERGE_REQUEST_LABELS="bug,aces:live")["aces-ci:live"] == "on_success"
    assert made.jobs(CI_MERGE_REQUEST_LABELS="aces:lively,xaces:live")["aces-ci:live"] == "manual"
    fork = {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "8", "CI_MERGE_REQUEST_LABELS": "aces:live"}
    assert made.jobs(**fork)["aces-ci:live"] == "manual"
    assert set(made.jobs(CI_PIPELINE_SOURCE="schedule", CI_MERGE_REQUEST_IID="")) == {"aces-ci"}
    assert set(made.jobs(CI_PIPELINE_SOURCE="push", CI_COMMIT_BRANCH="main")) == {"aces-ci"}
    assert made.jobs(CI_PIPELINE_SOURCE="push", CI_COMMIT_BRANCH="topic") == {}


def test_inputs_reach_the_run(tmp_path: Path, fake: FakeGitLab) -> None:
    inputs = "    inputs: {prefix: skills, comment_key: nightly, set: gates.spec=advise, live: 'off'}\n"
    made = project(tmp_path, fake, INCLUDE_LOCAL + inputs)
    assert set(made.jobs()) == {"skills"}
    code, log = made.run()
    assert code == 0, log
    assert "key=nightly" in fake.bodies(NUMBER)[0].split("\n")[0]


@pytest.mark.parametrize("inputs", ["{prefix: 'No spaces'}", "{live: maybe}", "{shards: many}", "{profile: lenient}"])
def test_wrong_inputs_are_refused_before_any_job_runs(tmp_path: Path, fake: FakeGitLab, inputs: str) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL + f"    inputs: {inputs}\n")
    code, log = made.run()
    assert code != 0
    assert "aces-ci 0" not in log
    assert fake.server.exchanges == []


def test_the_merged_configuration_keeps_gitlab_s_schema(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL + "    inputs: {shards: 3}\n")
    text = made.preview()
    assert yaml.safe_load(text)["aces-ci:shard"]["parallel"] == 3
    path = tmp_path / "merged.yml"
    path.write_text(text)
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [str(checker), "--builtin-schema", "vendor.gitlab-ci", str(path)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_fork_s_result_is_posted_by_a_job_of_the_target_project(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, INCLUDE_LOCAL)
    fork = {
        "CI_PROJECT_ID": "8",
        "CI_PROJECT_PATH": "mira-k/agent-skills",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "8",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "mira-k/agent-skills",
        "ACES_GITLAB_TOKEN": "",
    }
    made.run("aces-ci", **fork)
    assert fake.bodies(NUMBER) == []
    report = (made.path / "aces-results/report.json").read_bytes()
    (tmp_path / "trusted").mkdir()
    poster = project(tmp_path / "trusted", fake, _posting())
    fake.change(NUMBER, made.head, source_project_id=8)
    fake.finished(NUMBER, project=8, sha=made.head, job="aces-ci", report=report)
    scheduled = {"CI_PIPELINE_SOURCE": "schedule", "CI_MERGE_REQUEST_IID": "", "CI_COMMIT_BRANCH": "main"}
    for asked in ({"ACES_POST": "forks"}, {"ACES_POST_CHANGE": str(NUMBER)}):
        assert set(poster.jobs(**scheduled, **asked)) == {"aces-ci:post"}, "nothing is evaluated, or paid for"
    assert "aces-ci:post" not in poster.jobs(**scheduled)
    code, log = poster.run("aces-ci:post", **scheduled, ACES_POST="forks")
    assert code == 0, log
    (body,) = fake.bodies(NUMBER)
    assert "reported by the fork's own job, not verified" in body


def _posting() -> str:
    root = Path(__file__).resolve().parents[2]
    text = (root / "examples/gitlab/forks.yml").read_text()
    return text.replace("component: $CI_SERVER_FQDN/aces-ci/aces-ci/aces-ci@0.4.0", "local: /gitlab-ci-component.yml")
