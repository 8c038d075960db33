"""The truth table of the metrics that ask a judge, and of Skill-Use: from verdicts on items to values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from aces_ci import plugins
from aces_ci.core.asking.question import Question
from aces_ci.tiers.grade import grade
from tests.metrics.judges import Court, verdict
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")
ROWS: list[dict[str, Any]] = [
    {"skill": "pdf"},
    {"sh": "python3 scripts/fill.py a.pdf", "out": "TOTAL 7"},
    {"say": "TOTAL 7"},
]
CASE: dict[str, Any] = {
    "expected_skill": "pdf",
    "trigger": True,
    "reference": "TOTAL 7",
    "behaviors": [
        {"id": "b1", "text": "Executes fill.py", "weight": 3.0},
        {"id": "b2", "text": "Answers with one line", "weight": 1.0},
        {"id": "n1", "text": "Deletes nothing", "role": "must_not"},
    ],
}


@cache
def table() -> list[dict[str, Any]]:
    found = yaml.load((Path(__file__).parent / "truth/judged.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
    assert isinstance(found, list)
    return found


def harnesses(row: dict[str, Any]) -> list[str]:
    given = row.get("harness", "claude-code")
    return list(snippets.HARNESSES) if given == "all" else [given]


EVERY = [pytest.param(row, name, id=f"{row['id']}-{name}") for row in table() for name in harnesses(row)]


def court(says: Mapping[str, str]) -> Court:
    def decide(data: dict[str, Any], question: Question) -> Mapping[str, Any]:
        name = question.item.rsplit("/", 1)[-1].partition("@")[0]
        if name == "end_state":
            return {"user_goal": "the total", "end_state": "TOTAL 7"}
        word = says.get(name, "yes")
        if word == "three-words":
            word = ("yes", "no", "cannot_tell")[question.vote - 1]
        row = data["evidence"][-1]
        quote = "nobody said so" if word == "no-quote" else str(row.get("answer") or row.get("what"))
        return verdict("yes" if word == "no-quote" else word, (row["row"], quote))

    broken = {f"/{name}@": "429" for name, word in says.items() if word == "error"}
    return Court(decide, errors=broken)


@pytest.mark.parametrize(("row", "harness"), EVERY)
def test_verdicts_make_the_values_that_the_row_says(row: dict[str, Any], harness: str) -> None:
    case = snippets.case(**{**CASE, **row.get("case", {})})
    trajectory = snippets.trajectory(harness, row.get("rows", ROWS), case.prompt)
    cast = snippets.cast(**row.get("cast", {}))
    trial = snippets.trial(row.get("arm", "with_skill"), harness=harness)
    bench = court(row.get("says", {}))
    scores = grade(trial, trajectory, case, {}, METRICS, bench, cast=cast)  # type: ignore[arg-type]
    found = {score.metric: score for score in scores}
    got = {name: None if found[name].value is None else round(found[name].value or 0.0, 9) for name in row["want"]}
    assert all(score.cites for score in scores if score.value is not None), "every value cites steps"
    for name, clause in row.get("because", {}).items():
        assert clause in found[name].because, (row["why"], found[name].because)
    if "asked" in row:
        assert any("/b3@" in question.item for question in bench.asked) is row["asked"], row["why"]
    assert got == row["want"], (row["why"], {name: found[name].because for name in row["want"]})


def test_every_metric_has_rows_and_every_row_its_reason() -> None:
    named = {name for row in table() for name in row["want"]}
    elsewhere = {"security", "skill_execution", "skill_efficiency"}
    assert named | elsewhere == {metric.name for metric in METRICS}  # type: ignore[attr-defined]
    assert all(row.get("why") for row in table())
    assert len({row["id"] for row in table()}) == len(table())
