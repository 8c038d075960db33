"""The gates that read the live tier: regression, lift, invalid, inconclusive.

Each says met, broken, undecidable or accepted for one skill; what a broken one does is policy (`Mode`).
None passes by absence. Together they close the way around a regression by making the result unknown: fewer
cases, weaker checks, fewer attempts, a broken sandbox or a spoilt arm each break a gate that a reader sees.
"""

from __future__ import annotations

from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.gate import GateName, GateResult, Mode, Outcome
from aces_ci.core.live import LiveSummary, Unfair, Word

NAMED = frozenset({Unfair.ABSENT, Unfair.STORED, Unfair.UNVERIFIED})
"""These inform without being anybody's fault: they stop the regression gate, they do not break `invalid`. What never
ran breaks `incomplete`."""
FOUL = frozenset({Unfair.TAMPERED, Unfair.CONTAMINATED})
"""Blocks by default: what spoilt the arm came from the change, or reached into it."""


def _points(value: float) -> str:
    return f"{round(100 * value):+d}".replace("-", "−")


def _said(lift: Lift | None) -> str:
    if lift is None or lift.estimate is None:
        return "no estimate"
    low, high = _points(lift.estimate.low), _points(lift.estimate.high)
    return f"{_points(lift.estimate.point)} points [{low}, {high}]"


def regression_gate(
    summary: LiveSummary | None, mode: Mode, skill: str, *, accepted: bool = False, skipped: str = ""
) -> GateResult:
    """Broken by *regressed* on the base side's evals with arms run side by side, and by nothing else.

    `accepted` is a writer's word on this very commit; `skipped` why live did not run at all.
    """

    def result(outcome: Outcome, reason: str) -> GateResult:
        return GateResult(gate=GateName.REGRESSION, mode=mode, outcome=outcome, skill=skill, reason=reason)

    if mode is Mode.OFF:
        return result(Outcome.OFF, "switched off by the policy")
    if summary is None:
        return result(Outcome.UNDECIDABLE, skipped or "live did not run")
    if summary.basis is not Contrast.CHANGE:
        return result(Outcome.UNDECIDABLE, "there is no previous version that ran")
    if summary.cannot_gate:
        return result(Outcome.UNDECIDABLE, summary.cannot_gate)
    if summary.word is Word.REGRESSED:
        outcome = Outcome.ACCEPTED if accepted else Outcome.BROKEN
        return result(outcome, f"worse than on the base: {_said(summary.change)}")
    if summary.word is Word.NO_VERDICT:
        return result(Outcome.UNDECIDABLE, summary.because)
    if summary.max_drop is not None and summary.word is not Word.IMPROVED:
        ruled_out = summary.rules_out_drop
        if ruled_out is None or ruled_out > summary.max_drop:
            shown = "nothing" if ruled_out is None else f"a drop of more than {round(100 * ruled_out)} points"
            wanted = f"the policy wants {round(100 * summary.max_drop)}"
            outcome = Outcome.ACCEPTED if accepted else Outcome.BROKEN
            return result(outcome, f"this run rules out {shown}, {wanted}")
    return result(Outcome.MET, summary.because)


def lift_gate(summary: LiveSummary | None, mode: Mode, skill: str, *, skipped: str = "") -> GateResult:
    """Broken where the skill makes agents surely worse than none: the interval lies below 0, by the floor
    or more."""

    def result(outcome: Outcome, reason: str) -> GateResult:
        return GateResult(gate=GateName.LIFT, mode=mode, outcome=outcome, skill=skill, reason=reason)

    if mode is Mode.OFF:
        return result(Outcome.OFF, "switched off by the policy")
    if summary is None:
        return result(Outcome.UNDECIDABLE, skipped or "live did not run")
    lift = summary.lift
    if lift is None or lift.estimate is None:
        return result(Outcome.UNDECIDABLE, lift.because if lift else "the no-skill arm did not run")
    if lift.estimate.high < 0 and lift.estimate.point <= -summary.floor:
        return result(Outcome.BROKEN, f"worse than no skill: {_said(lift)}")
    return result(Outcome.MET, f"against no skill {_said(lift)}")


def invalid_gate(summary: LiveSummary, mode: Mode | None, skill: str) -> GateResult:
    """Broken by an unfair comparison. `mode` None is the default: advise, block where tampered or
    contaminated."""
    unfair = [kind for kind in summary.unfair if kind not in NAMED]
    foul = any(kind in FOUL for kind in unfair)
    default = Mode.BLOCK if foul else Mode.ADVISE
    used = default if mode is None else mode

    def result(outcome: Outcome, reason: str) -> GateResult:
        return GateResult(gate=GateName.INVALID, mode=used, outcome=outcome, skill=skill, reason=reason)

    if used is Mode.OFF:
        return result(Outcome.OFF, "switched off by the policy")
    if unfair:
        return result(Outcome.BROKEN, summary.because)
    return result(Outcome.MET, "the arms differ in the skill alone")


def inconclusive_gate(summary: LiveSummary, mode: Mode, skill: str) -> GateResult:
    """Broken by *cannot tell yet*, and by a verdict that a stored or unverified arm withholds."""

    def result(outcome: Outcome, reason: str) -> GateResult:
        return GateResult(gate=GateName.INCONCLUSIVE, mode=mode, outcome=outcome, skill=skill, reason=reason)

    if mode is Mode.OFF:
        return result(Outcome.OFF, "switched off by the policy")
    informs = NAMED - {Unfair.ABSENT}
    withheld = summary.word is Word.NO_VERDICT and all(kind in informs for kind in summary.unfair)
    if summary.word is Word.CANNOT_TELL or withheld:
        return result(Outcome.BROKEN, summary.because)
    return result(Outcome.MET, "decided")
