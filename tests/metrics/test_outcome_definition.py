"""Two places compute the outcome of a trial: the metric of one trial, and the contrast of many. They agree."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci import plugins
from aces_ci.core.lift import OUTCOME_PARTS, outcomes, table
from aces_ci.tiers.grade import grade
from tests.metrics.judges import Court, verdict
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")


def test_the_parts_have_the_names_that_the_contrast_reads() -> None:
    names = {metric.name for metric in METRICS}  # type: ignore[attr-defined]
    assert set(OUTCOME_PARTS) <= names


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["yes", "no"]), min_size=5, max_size=5),
    st.lists(st.booleans(), max_size=4),
    st.booleans(),
)
def test_the_metric_and_the_contrast_compute_the_same_number(
    words: list[str], passing: list[bool], reference: bool
) -> None:
    said = dict(zip(("action_correct", "facts_agree", "task_addressed", "actionable", "reached"), words, strict=True))

    def decide(data: dict[str, Any], question: Any) -> Any:
        if "end_state" in question.item:
            return {"user_goal": "g", "end_state": "s"}
        name = question.item.split("/")[1].split("@")[0]
        return verdict(said[name], (data["evidence"][-1]["row"], "TOTAL"))

    checks = [{"kind": "contains", "args": {"value": "TOTAL" if each else "nope"}} for each in passing]
    case = snippets.case(checks=checks, reference="TOTAL" if reference else None)
    trial = snippets.trial()
    scores = grade(
        trial, snippets.trajectory("codex", [{"say": "TOTAL 7"}]), case, {}, METRICS, Court(decide)  # type: ignore[arg-type]
    )  # fmt: skip
    ours = next(score for score in scores if score.metric == "outcome")
    theirs = outcomes([trial], table(scores))[trial.digest]
    assert ours.value == (None if theirs.value is None else round(theirs.value, 9))
