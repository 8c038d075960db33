"""Every GitLab example, with the component of this checkout in the catalog's place, in a real runner."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from aces_ci import __version__
from tests.e2e.gitlab_runner import NUMBER, ROOT, project
from tests.fakes.gitlab import FakeGitLab

pytestmark = pytest.mark.e2e
EXAMPLES = ROOT / "examples/gitlab"
REQUEST = {"aces-ci": "always", "aces-ci:live": "manual"}
SHARDED = {**REQUEST, **{f"aces-ci:shard: [{index}/8]": "on_success" for index in range(1, 9)}}
JOBS: dict[str, dict[str, str]] = {
    "minimal": REQUEST,
    "judge": {"aces-ci": "always"},
    "live": REQUEST,
    "forks": REQUEST,
    "many-runners": SHARDED,
    "nightly": REQUEST,
}
SCHEDULE = {"CI_PIPELINE_SOURCE": "schedule", "CI_MERGE_REQUEST_IID": ""}


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        yield made


def example(name: str) -> str:
    """As a user copies it, but for where the component is."""
    text = (EXAMPLES / f"{name}.yml").read_text("utf-8")
    catalog = f"component: $CI_SERVER_FQDN/aces-ci/aces-ci/aces-ci@{__version__}"
    assert text.count(catalog) == 1
    return text.replace(catalog, "local: /gitlab-ci-component.yml")


def test_every_example_is_here() -> None:
    assert set(JOBS) == {path.stem for path in EXAMPLES.iterdir()}


@pytest.mark.parametrize("name", sorted(JOBS))
def test_a_merge_request_selects_these_jobs_and_the_merged_file_keeps_the_schema(
    tmp_path: Path, fake: FakeGitLab, name: str
) -> None:
    made = project(tmp_path, fake, example(name))
    assert made.jobs() == JOBS[name]
    path = tmp_path / "merged.yml"
    path.write_text(made.preview())
    checker = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [str(checker), "--builtin-schema", "vendor.gitlab-ci", str(path)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "$[[" not in path.read_text(), "every input was put in"
    assert yaml.safe_load(path.read_text())["aces-ci"]["script"]


def test_the_nightly_pipeline_looks_at_every_skill_and_writes_no_note(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, example("nightly"))
    assert set(made.jobs(**SCHEDULE)) == {"aces-ci"}
    _, log = made.run(**SCHEDULE)
    assert "gitlab schedule" in log
    document = json.loads((made.path / "aces-results/report.json").read_text())
    assert [(row["change"]["name"], row["change"]["how"]) for row in document["skills"]] == [
        ("log-triage", "unchanged"),
        ("parcel-quote", "unchanged"),
    ]
    assert fake.bodies(NUMBER) == []


def test_the_judge_s_example_without_its_key_says_so(tmp_path: Path, fake: FakeGitLab) -> None:
    made = project(tmp_path, fake, example("judge"))
    code, log = made.run()
    assert code == 1, log
    assert "skipped: judge (" in log
    assert "skipped: live (`live.when: off`" in log, f"no live job here, and the main one starts none: {log}"
    assert len(fake.bodies(NUMBER)) == 1
