"""The truth table over recorded runs of real CLIs, from the log that the CLI left to the score."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from aces_ci import plugins
from aces_ci.cli.trace import COMMAND as TRACE
from aces_ci.core.trace.file import read
from aces_ci.tiers.grade import grade
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")
HARNESSES = ("claude-code", "codex", "gemini-cli", "opencode", "qwen-code")
CASE = snippets.case(
    prompt="Give me the quartz report of ledger.csv. Answer with one line.",
    expected_skill="quartz-report",
    trigger=True,
    expected_script="scripts/quartz.py",
    checks=[
        {"kind": "contains", "args": {"value": "QUARTZ-TOTAL"}},
        {"kind": "script_run", "role": "must", "args": {"script": "scripts/quartz.py"}},
        {"kind": "command_not_ran", "role": "must_not", "args": {"program": "rm"}},
    ],
)


@cache
def table() -> list[dict[str, Any]]:
    found = yaml.load((Path(__file__).parent / "truth/real.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
    assert isinstance(found, list)
    return found


def harnesses(row: dict[str, Any]) -> list[str]:
    return [row["harness"]] if isinstance(row["harness"], str) else list(row["harness"])


EVERY = [pytest.param(row, name, id=f"{row['run']}-{name}") for row in table() for name in harnesses(row)]


@pytest.mark.parametrize(("row", "harness"), EVERY)
def test_a_recorded_run_scores_as_its_row_says(shared: Path, tmp_path: Path, row: dict[str, Any], harness: str) -> None:
    trace = tmp_path / "t.json"
    arguments = ["convert", str(shared / "transcripts" / harness / row["run"]), "--output-file", str(trace)]
    result = CliRunner().invoke(TRACE, arguments)
    assert trace.exists(), (result.output, result.exception)
    trajectory = read(trace.read_bytes(), source="t.json")
    trial = snippets.trial("with_skill", skill="quartz-report", harness=harness)
    cast = snippets.cast(target=["quartz-report"])
    found: dict[str, float | None] = {}
    for score in grade(trial, trajectory, CASE, None, METRICS, None, cast=cast):  # type: ignore[arg-type]
        assert bool(score.cites) or score.value is None, score
        assert all(1 <= step <= len(trajectory.steps) for step in score.cites), score
        found[score.metric] = score.value
        found |= {part.name: part.value for part in score.parts}
    got = {name: None if found.get(name) is None else round(found[name] or 0.0, 9) for name in row["want"]}
    assert got == row["want"], row["why"]


def test_the_recorded_rows_are_many_reach_every_harness_and_give_their_reasons() -> None:
    assert len(EVERY) >= 60
    assert {name for row in table() for name in harnesses(row)} == set(HARNESSES)
    assert all(row.get("why") for row in table())
