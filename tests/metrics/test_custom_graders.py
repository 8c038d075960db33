"""Authors' graders: what they are given, what is believed of what they say, and how it joins our scores."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from aces_ci import plugins
from aces_ci.core.grading.dimensions import DIMENSIONS
from aces_ci.core.grading.grader import Grader
from aces_ci.core.grading.grader_reply import RESERVED, read
from aces_ci.core.score import Score
from aces_ci.core.staging import StagedFile
from aces_ci.core.suites.run_policy import Grading as Mode
from aces_ci.tiers.custom import ask, combined
from aces_ci.tiers.grade import grade, subject_of
from tests.fakes.sandbox import FakeSession, Loss, World
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")
ROWS: list[dict[str, Any]] = [{"skill": "pdf"}, {"say": "TOTAL 7"}]
WORKSPACE = {"out/report.md": b"7\n"}


def grader(mode: Mode = Mode.DEFAULT_PLUS_CUSTOM, entry: str = "grader.py") -> Grader:
    return Grader(entry=entry, files=(StagedFile(path=entry, data=b"pass"),), digest="d" * 64, mode=mode)


def subject(arm: str = "with_skill") -> Any:
    case = snippets.case(
        expected_skill="pdf", trigger=True, reference="7", checks=[{"kind": "contains", "args": {"value": "TOTAL"}}]
    )
    trajectory = snippets.trajectory("claude-code", ROWS)
    return subject_of(snippets.trial(arm), trajectory, case, WORKSPACE, snippets.cast(decoys=["docx"]))


def told(program: Callable[[World], int], mode: Mode = Mode.DEFAULT_PLUS_CUSTOM) -> dict[str, Score]:
    given = grader(mode)
    found = subject()
    session = FakeSession(program, 1)
    reply = ask(found, given, session, slot=0, image="sha256:grader", stop=threading.Event())
    standard = grade(found.trial, found.trajectory, found.case, WORKSPACE, METRICS, None, cast=found.cast)  # type: ignore[arg-type]
    return {score.metric: score for score in combined(standard, reply, found, given)}


def writing(document: object, code: int = 0) -> Callable[[World], int]:
    def program(world: World) -> int:
        world.home["logs/verifier/reward.json"] = json.dumps(document).encode()
        return code

    return program


def test_a_grader_finds_the_references_files_by_the_references_names() -> None:
    seen: list[World] = []

    def program(world: World) -> int:
        seen.append(world)
        return 0

    told(program)
    job = seen[0].job
    home = "/home/agent"
    assert job.command == ("python3", "-I", f"{home}/tests/grader.py")
    paths = {name: value.removeprefix(f"{home}/") for name, value in job.environment.items()}
    assert json.loads(seen[0].home[paths["HARBOR_ATIF_PATH"]])["schema_version"] == "ATIF-v1.7"
    entry = json.loads(seen[0].home[paths["HARBOR_ENTRY_JSON"]])
    assert entry["ground_truth"] == "7" and entry["has_skill"] is True and entry["evaluated_skill"] == "pdf"
    assert entry["workspace_skill_names"] == ["docx"]
    assert seen[0].workspace["out/report.md"] == b"7\n"
    assert paths["HARBOR_REWARD_JSON"] == "logs/verifier/reward.json"
    assert not any("KEY" in name or "TOKEN" in name for name in job.environment)
    assert seen[0].token == "", "no slot is armed for a grader: it cannot reach a model"


def test_a_shell_grader_is_run_by_bash() -> None:
    seen: list[World] = []
    session = FakeSession(lambda world: seen.append(world) or 0, 1)  # type: ignore[func-returns-value]
    ask(subject(), grader(entry="grader.sh"), session, slot=0, image="i", stop=threading.Event())
    assert seen[0].job.command == ("bash", "/home/agent/tests/grader.sh")


def test_custom_metrics_stand_beside_ours_and_never_among_them() -> None:
    document = {
        "overall": 0.25,
        "custom_metrics": {"layout": 0.5, "colour": {"score": 1}},
        "details": {"layout": {"score": 0.5, "reason": "two columns"}},
    }
    found = told(writing(document))
    assert found["custom.layout"].value == 0.5 and found["custom.layout"].because == "two columns"
    assert found["custom.colour"].value == 1.0
    assert found["custom.overall"].value == 0.25
    assert found["outcome_checks"].value == found["outcome"].value == 1.0, "ours stay as they are"
    assert "dddddddddddd" in found["custom.layout"].method


def test_default_mode_ignores_the_grader() -> None:
    assert not any(name.startswith("custom.") for name in told(writing({"overall": 0.0}), Mode.DEFAULT))


def test_custom_only_makes_its_overall_the_outcome_and_scores_nothing_of_ours() -> None:
    found = told(writing({"overall": 0.75, "custom_metrics": {"layout": 0.5}}), Mode.CUSTOM_ONLY)
    assert set(found) == {"outcome_checks", "outcome", "custom.layout"}
    assert found["outcome"].value == found["outcome_checks"].value == 0.75


@pytest.mark.parametrize("mode", [Mode.DEFAULT_PLUS_CUSTOM, Mode.CUSTOM_ONLY])
def test_a_crash_is_an_error_and_never_zero_even_when_it_wrote_zero_before(mode: Mode) -> None:
    found = told(writing({"overall": 0.0, "custom_metrics": {"layout": 0.0}}, code=1), mode)
    name = "outcome" if mode is Mode.CUSTOM_ONLY else "custom.overall"
    assert found[name].value is None
    assert "exit code 1" in found[name].because
    assert "custom.layout" not in found
    if mode is Mode.DEFAULT_PLUS_CUSTOM:
        assert found["outcome"].value == 1.0


def test_a_lost_sandbox_is_an_error() -> None:
    def program(world: World) -> int:
        raise Loss("the daemon went away")

    found = told(program)
    assert found["custom.overall"].value is None and "daemon went away" in found["custom.overall"].because


def test_a_grader_that_says_nothing_gives_no_score() -> None:
    assert told(lambda world: 0)["custom.overall"].value is None


def test_a_grader_may_spoil_its_copy_of_the_workspace_and_nothing_else() -> None:
    def program(world: World) -> int:
        world.workspace.clear()
        world.workspace["out/report.md"] = b"forged"
        return writing({"overall": 1.0})(world)

    assert told(program)["custom.overall"].value == 1.0
    assert WORKSPACE == {"out/report.md": b"7\n"}


@pytest.mark.parametrize(
    ("document", "clause"),
    [
        ({"overall": 1.5}, "not from 0 to 1"),
        ({"overall": -1}, "not from 0 to 1"),
        ({"overall": True}, "not a number"),
        ({"overall": "1"}, "not a number"),
        ({"overall": 1, "custom_metrics": {"accuracy": 1}}, "reserved"),
        ({"overall": 1, "custom_metrics": {"outcome": 1}}, "reserved"),
        ({"overall": 1, "custom_metrics": {"a b": 1}}, "name"),
        ({"overall": 1, "custom_metrics": [1]}, "not an object"),
        ({"overall": 1, "custom_metrics": {str(n): 1 for n in range(60)}}, "more than"),
        ([], "not an object"),
        ({}, "no rewards"),
        ({"reward": "x"}, "not a number"),
    ],
)
def test_a_bad_reply_is_an_error_with_its_reason(document: object, clause: str) -> None:
    found = read(0, json.dumps(document).encode(), None)
    assert found.error and clause in found.error
    assert found.overall is None and not found.metrics


@pytest.mark.parametrize("data", [b"nan", b"", b"0.5 0.5", b"\xff", b"2"])
def test_a_bad_reward_txt_is_an_error(data: bytes) -> None:
    assert read(0, None, data).error


def test_harbors_flat_rewards_are_read() -> None:
    assert read(0, b'{"reward": 0.5, "style": 1}', None).overall == 0.5
    assert read(0, b'{"only": 0.25}', None).overall == 0.25
    assert read(0, b'{"a": 0.25, "b": 1}', None).overall is None
    assert read(0, None, b"0.75\n").overall == 0.75


def test_a_killed_grader_is_an_error() -> None:
    assert "limit" in (read(None, b'{"overall": 1}', None).error or "")
    assert read(0, b"{" * 300_000, None).error


def test_every_metric_of_ours_is_reserved() -> None:
    assert {name for names in DIMENSIONS.values() for name in names} <= RESERVED
    assert "outcome_checks" in RESERVED
