"""The poster of a GitLab project: which head pipeline is believed, and what becomes of its report."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aces_ci import compose, rendering
from aces_ci.core.errors import UsageError
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.evidence import PolicySource, RunEnded, Skipped, Structure, Tier
from aces_ci.jobs.post import Options, post
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run, an_event
from tests.fakes.gitlab import FakeGitLab

HEAD = "a" * 40
NUMBER, FORK = 42, 8


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        made.change(NUMBER, HEAD, source_project_id=FORK)
        made.finished(NUMBER, project=FORK, sha=HEAD, job="aces-ci", report=honest())
        yield made


def honest() -> bytes:
    """What a fork's own job writes."""
    event = an_event(
        kind=EventKind.CHANGE_REQUEST,
        forge="gitlab",
        repo="acme/agent-skills",
        head_sha=HEAD,
        base_ref="main",
        change_request=NUMBER,
        trust=Trust.FORK,
    )
    skill = a_changed_skill()
    report = assemble(
        [
            replace(a_run(), event=event, policy=PolicySource(ref="built-in defaults")),
            skill,
            Structure(skill=skill.path, conformant=True, score=84),
            *(
                Skipped(tier=tier, skill=None, code="fork", because="fork, not approved")
                for tier in (Tier.JUDGE, Tier.LIVE)
            ),
            RunEnded(seconds=0.3),
        ]
    )
    return compose.renderer("json").render(report, rendering.place_of(report, key="default")).encode()


def run(fake: FakeGitLab, change: int | None = NUMBER) -> str:
    """The job of the target project; returns its log."""
    env = {
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": "schedule",
        "CI_API_V4_URL": fake.url,
        "CI_SERVER_URL": "https://gitlab.example",
        "CI_PROJECT_ID": str(fake.project_id),
        "CI_PROJECT_PATH": fake.project,
        "CI_DEFAULT_BRANCH": "main",
        "ACES_GITLAB_TOKEN": "glpat",
    }
    log = io.StringIO()
    options = Options(path=None, repo=Path(), source="aces-ci", artifact="", change=change)
    assert post(options, env=env, stderr=log) == 0
    return log.getvalue()


def test_an_honest_report_becomes_one_note(fake: FakeGitLab) -> None:
    assert "comment created" in run(fake)
    assert "comment unchanged" in run(fake)
    (body,) = fake.bodies(NUMBER)
    assert f"head={HEAD}" in body.split("\n")[0]
    assert "reported by the fork's own job, not verified" in body
    assert "https://gitlab.example/mira-k/agent-skills/-/jobs/" in body


REFUSED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("closed", "change_missing", {"state": "merged"}, {}),
    ("source project deleted", "run_head", {"source_project_id": None}, {}),
    ("a push since", "run_commit", {"sha": "b" * 40}, {}),
    ("a pipeline of a third project", "run_repository", {}, {"project_id": 99}),
    ("a pipeline of a branch", "run_event", {}, {"source": "push"}),
    ("no pipeline", "run_event", {"head_pipeline": None}, {}),
]


@pytest.mark.parametrize(("name", "code", "change", "pipeline"), REFUSED, ids=[row[0] for row in REFUSED])
def test_pipelines_that_are_not_what_they_should_be_are_refused(
    fake: FakeGitLab, name: str, code: str, change: dict[str, Any], pipeline: dict[str, Any]
) -> None:
    fake.changes[NUMBER]["head_pipeline"].update(pipeline)
    fake.changes[NUMBER].update(change)
    with pytest.raises(UsageError) as caught:
        run(fake)
    assert caught.value.code == code
    assert fake.bodies(NUMBER) == []


def test_a_job_of_another_name_two_of_one_name_and_no_artifact_are_refused(fake: FakeGitLab) -> None:
    (job,) = fake.jobs
    for jobs, code in (
        ([{**job, "name": "evil"}], "run_workflow"),
        ([job, {**job, "id": 1}], "run_workflow"),
        ([{**job, "report": None}], "artifact_count"),
    ):
        fake.jobs = jobs
        with pytest.raises(UsageError) as caught:
            run(fake)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema_version": 9}, "schema_version"),
        ({"event": {"head_sha": "b" * 40}}, "commit"),
        ({"event": {"forge": "github"}}, "change"),
        ({"event": {"trust": "own"}}, "trust"),
        ({"cost": {"tokens": 1}}, "paid"),
        ({"verdict": {"state": "clean"}}, "verdict"),
    ],
)
def test_hostile_reports_are_refused_by_the_same_rules(fake: FakeGitLab, change: dict[str, Any], code: str) -> None:
    document = json.loads(honest())
    for key, value in change.items():
        if isinstance(value, dict):
            document[key].update(value)
        else:
            document[key] = value
    fake.jobs[0]["report"] = json.dumps(document).encode()
    with pytest.raises(UsageError) as caught:
        run(fake)
    assert caught.value.code == code
    assert fake.bodies(NUMBER) == []


def test_a_report_that_never_ends_is_cut_off(fake: FakeGitLab) -> None:
    fake.jobs[0]["report"] = b"{" + b" " * 5_000_000
    with pytest.raises(UsageError) as caught:
        run(fake)
    assert caught.value.code == "artifact_count"


def test_without_a_number_every_open_one_of_a_fork_gets_its_note_and_a_bad_one_keeps_none_from_it(
    fake: FakeGitLab,
) -> None:
    fake.change(40, "c" * 40, source_project_id=FORK)
    fake.finished(40, project=FORK, sha="c" * 40, job="aces-ci", report=b"{}")
    fake.change(41, "d" * 40, source_project_id=FORK)
    fake.change(43, HEAD)
    fake.change(44, HEAD, source_project_id=FORK, state="merged")
    fake.change(45, HEAD, source_project_id=None)
    fake.changes = dict(sorted(fake.changes.items()))
    log = run(fake, None)
    assert "3 open changes of forks" in log
    assert "notice: nothing is posted for 40: its schema_version is not 1 (schema_version)" in log
    assert "notice: nothing is posted for 41: the head pipeline is not one of a merge request (run_event)" in log
    assert len(fake.bodies(NUMBER)) == 1
    assert not any(fake.bodies(number) for number in (40, 41, 43, 44, 45))


def test_a_quiet_project_has_nothing_to_post(fake: FakeGitLab) -> None:
    fake.changes.clear()
    assert "0 open changes of forks" in run(fake, None)
