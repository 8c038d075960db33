"""Changes that must not change a score: names, order of independent calls, the harness's format."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci import plugins
from aces_ci.core.grading.cast import Cast
from aces_ci.core.grading.recovery import failures
from aces_ci.core.scripts.shell.commands import parse
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.file import read, write
from aces_ci.core.trace.tools import Deed
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.tiers.grade import grade
from tests.metrics.judges import Court, literal
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")
CASE = snippets.case(
    expected_skill="pdf",
    trigger=True,
    expected_script="scripts/fill.py",
    checks=[
        {"kind": "contains", "args": {"value": "TOTAL"}},
        {"kind": "command_ran", "role": "must", "args": {"program": "python3"}},
    ],
)
JUDGED = replace(
    CASE, reference="TOTAL 7", behaviors=snippets.case(behaviors=[{"id": "b1", "text": "Executes fill.py"}]).behaviors
)
ROWS: list[dict[str, Any]] = [
    {"skill": "pdf"},
    {"sh": "python3 scripts/fill.py form.pdf", "code": 2, "out": "ValueError: no form"},
    {"sh": "grep -n total ledger.csv", "out": "1:total"},
    {"sh": "cat notes.txt", "out": "note"},
    {"sh": "pip install pypdf", "out": "ok"},
    {"sh": "python3 scripts/fill.py ledger.pdf", "out": "TOTAL 7"},
    {"sh": "rm -f scratch.txt", "out": ""},
    {"sh": "git reset --hard", "out": "HEAD is now"},
    {"say": "TOTAL 7"},
]


def values(trajectory: Trajectory, case: Any = CASE) -> dict[str, float | None]:
    found = grade(snippets.trial(), trajectory, case, {}, METRICS, None, cast=snippets.cast())  # type: ignore[arg-type]
    return {score.metric: score.value for score in found}


BASE = values(snippets.trajectory("claude-code", ROWS))


def test_the_base_case_is_worth_testing() -> None:
    scored = {name: value for name, value in BASE.items() if value is not None}
    assert len(scored) >= 7
    assert any(0 < value < 1 for value in scored.values())


def judged(trajectory: Trajectory, cast: Cast | None = None) -> dict[str, float | None]:
    """The same with a judge that reads what it is shown, and with the items that only a judge can tell."""
    court = Court(literal)
    found = grade(snippets.trial(), trajectory, JUDGED, {}, METRICS, court, cast=cast or snippets.cast())  # type: ignore[arg-type]
    assert court.asked
    return {score.metric: score.value for score in found}


BASE_JUDGED = judged(snippets.trajectory("claude-code", ROWS))


@pytest.mark.parametrize("harness", snippets.HARNESSES)
def test_another_harness_format_gives_the_same_judged_scores(harness: str) -> None:
    assert all(BASE_JUDGED[name] is not None for name in ("accuracy", "goal_accuracy", "behavior_check", "skill_use"))
    assert judged(snippets.trajectory(harness, ROWS)) == BASE_JUDGED


def test_renaming_files_and_reordering_change_no_judged_score() -> None:
    renamed = json.loads(json.dumps(ROWS).replace("ledger.", "zzbook."))
    assert judged(snippets.trajectory("codex", renamed)) == BASE_JUDGED
    order = [0, 1, 6, 4, 2, 5, 7, 3, 8]
    assert judged(snippets.trajectory("opencode", [ROWS[at] for at in order])) == BASE_JUDGED


def test_renaming_the_skill_changes_no_score() -> None:
    rows = json.loads(json.dumps(ROWS).replace('"skill": "pdf"', '"skill": "forms"'))
    case = replace(CASE, expected_skill="forms")
    found = grade(
        snippets.trial(), snippets.trajectory("claude-code", rows), case, {}, METRICS, None,  # type: ignore[arg-type]
        cast=snippets.cast(target=["forms"]),
    )  # fmt: skip
    assert {score.metric: score.value for score in found} == BASE


@pytest.mark.parametrize("harness", snippets.HARNESSES)
def test_another_harness_format_gives_the_same_scores(harness: str) -> None:
    assert values(snippets.trajectory(harness, ROWS)) == BASE


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["form", "ledger", "notes", "scratch"]), st.from_regex(r"[a-z][a-z0-9]{2,8}", fullmatch=True))
def test_renaming_a_file_changes_nothing(old: str, new: str) -> None:
    renamed = json.loads(json.dumps(ROWS).replace(f"{old}.", f"zz{new}."))
    assert values(snippets.trajectory("codex", renamed)) == BASE


@settings(max_examples=25, deadline=None)
@given(st.permutations([2, 3, 4, 6, 7]))
def test_the_order_of_independent_calls_changes_nothing(order: list[int]) -> None:
    slots = iter(order)
    moved = [ROWS[next(slots)] if at in {2, 3, 4, 6, 7} else row for at, row in enumerate(ROWS)]
    assert values(snippets.trajectory("opencode", moved)) == BASE


def test_calls_of_one_step_or_of_several_count_alike() -> None:
    joined = [*ROWS[:2], {**ROWS[2], "and": [ROWS[3], ROWS[4]]}, *ROWS[5:]]
    assert values(snippets.trajectory("claude-code", joined)) == BASE


def test_writing_and_reading_the_document_changes_nothing() -> None:
    trajectory = snippets.trajectory("qwen-code", ROWS)
    assert values(read(write(trajectory), source="t.json")) == BASE


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_narration_between_calls_changes_nothing(words: str) -> None:
    told = [{**row, "say": f"{words} I read SKILL.md and ran scripts/fill.py"} for row in ROWS[:-1]]
    assert values(snippets.trajectory("gemini-cli", [*told, ROWS[-1]])) == BASE


def test_wrapping_commands_in_a_shell_changes_nothing() -> None:
    wrapped = [{**row, "sh": f"bash -lc {json.dumps(row['sh'])}"} if "sh" in row else row for row in ROWS]
    assert values(snippets.trajectory("codex", wrapped)) == BASE


def test_a_real_change_of_deeds_does_change_scores() -> None:
    worse = [*ROWS[:-1], {"sh": "rm -rf /usr", "out": ""}, ROWS[-1]]
    assert values(snippets.trajectory("claude-code", worse))["security"] == 0.0
    assert values(snippets.trajectory("claude-code", ROWS[1:]))["skill_execution"] != BASE["skill_execution"]


def test_thousands_of_failures_are_weighed_in_linear_time() -> None:
    commands = parse("make part")
    broken = [
        Action(number=at, step=at + 1, tool="Bash", deed=Deed.SHELL, arguments={}, commands=commands, failed=True)
        for at in range(4000)
    ]
    started = time.process_time()
    found = failures(broken)
    assert len(found) == 4000 and all(failure.repaired is None for failure in found)
    assert time.process_time() - started < 5
