"""The truth table: labelled snippets of traces over metrics and harnesses. Each row says why."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from aces_ci import plugins
from aces_ci.core.score import Score
from aces_ci.tiers.grade import grade
from tests.traces import snippets

TRUTH = Path(__file__).parent / "truth"
METRICS = {metric.name: metric for metric in plugins.load("metrics", "METRIC", "name")}  # type: ignore[attr-defined]
FILES = {
    "security": ("security", {}),
    "activation": ("skill_execution", {"expected_skill": "pdf", "trigger": True}),
    "execution": (
        "skill_execution",
        {"expected_skill": "pdf", "trigger": True, "expected_script": "scripts/fill.py"},
    ),
    "efficiency": ("skill_efficiency", {"expected_skill": "pdf", "trigger": True}),
}
GIVEN = ("run", "rows", "case", "cast", "harness")
"""What a row asks; the rest of it is the answer."""


@cache
def rows(name: str) -> list[dict[str, Any]]:
    found = yaml.load((TRUTH / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    assert isinstance(found, list)
    return found


def harnesses(row: dict[str, Any]) -> list[str]:
    given = row.get("harness", "claude-code")
    return list(snippets.HARNESSES) if given == "all" else [given] if isinstance(given, str) else list(given)


EVERY = [
    pytest.param(name, row, harness, id=f"{name}-{row['id']}-{harness}")
    for name in FILES
    for row in rows(name)
    for harness in harnesses(row)
]


def score(name: str, row: dict[str, Any], harness: str) -> Score:
    metric, fields = FILES[name]
    deeds = row.get("rows", [{"sh": row["run"], "code": 0, "out": "ok"}] if "run" in row else [])
    case = snippets.case(**{**fields, **row.get("case", {})})
    trajectory = snippets.trajectory(harness, deeds, case.prompt)
    cast = snippets.cast(**row.get("cast", {}))
    return grade(snippets.trial(), trajectory, case, {}, [METRICS[metric]], None, cast=cast)[0]


@pytest.mark.parametrize(("name", "row", "harness"), EVERY)
def test_a_labelled_snippet_scores_as_its_row_says(name: str, row: dict[str, Any], harness: str) -> None:
    found = score(name, row, harness)
    want = row["want"]
    if name == "security":
        assert found.value == want, f"{row['why']}: {found.because}"
        return
    doubt = row.get("doubt")
    if doubt:
        assert found.value is None and f"{doubt} cannot be told: " in found.because, f"{row['why']}: {found}"
    parts = {part.name: part.value for part in found.parts}
    wanted = want if isinstance(want, dict) else {"activation": want}
    assert doubt or found.value is not None or not any(wanted.values()), f"{row['why']}: {found}"
    assert {key: parts.get(key) if parts.get(key) is None else round(parts[key], 9) for key in wanted} == wanted, (
        f"{row['why']}: {found}"
    )


def test_the_table_is_large_enough_and_every_row_gives_its_reason() -> None:
    every = [row for name in FILES for row in rows(name)]
    assert len(every) >= 150
    assert all(row.get("why") for row in every)
    keys = [(name, row["id"]) for name in FILES for row in rows(name)]
    assert len(set(keys)) == len(keys)
    asked = {
        (name, *(json.dumps(row.get(key), sort_keys=True) for key in GIVEN)) for name in FILES for row in rows(name)
    }
    assert len(asked) == len(every), "no row repeats another one's question"


def test_every_score_with_a_value_cites_steps_that_exist() -> None:
    for name in FILES:
        for row in rows(name):
            for harness in harnesses(row):
                found = score(name, row, harness)
                deeds = row.get("rows", [{"sh": row.get("run")}])
                assert all(1 <= step <= len(deeds) + 1 for step in found.cites), row
                assert bool(found.cites) or found.value is None, row
