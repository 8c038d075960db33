"""A skill whose own policy lowered its attempts has looks of its own, in every look of the run and in a report."""

from __future__ import annotations

from dataclasses import replace

from aces_ci.core.evidence import Evidence, Planned
from aces_ci.core.live import LiveSummary
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Trial
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.decide import stop_reason
from tests.golden.live_evidence import Told, run_of

# Nothing differs: undecided at the first look, and told at the last that there is.
SAME = Told(path="log-triage", rates={f"c{n}": (0.5, 0.5, 0.5) for n in range(4)}, attempts=4, seed=5)


def reported(lines: list[Evidence], looks: tuple[int, ...]) -> LiveSummary:
    rows = [replace(row, looks=looks) if isinstance(row, Planned) else row for row in lines]
    (skill,) = assemble(rows).skills
    assert skill.live is not None
    return skill.live


def test_a_report_reads_the_looks_that_were_planned_for_the_skill() -> None:
    lines = run_of(SAME)
    own, plan = reported(lines, (3, 4)), reported(lines, ())
    assert (own.look, own.looks, own.attempts) == (2, 2, 4)
    assert (plan.look, plan.looks) == (1, 3), "the fourth attempt belongs to a look that is not complete"


def test_the_engine_asks_for_each_skill_at_its_own_looks() -> None:
    lines = run_of(replace(SAME, seed=1))
    trials = [row for row in lines if isinstance(row, Trial) and row.attempt <= 3]
    scores = [row for row in lines if isinstance(row, Score)]
    assert stop_reason(trials, scores, LivePlan(looks=(3, 5, 8))) == "not expected to settle it"
    # Its last look: there is none after it that could be saved.
    assert stop_reason(trials, scores, LivePlan(looks=(3, 5, 8), lowered={SAME.path: (3,)})) is None
    assert stop_reason(trials, scores, LivePlan(looks=(3, 5, 8), lowered={"other": (3,)})) is not None
