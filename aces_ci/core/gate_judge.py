"""The gate that reads the judge's score, only where people have shown that this judge can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.asking.judge_score import Setup, setups, side_score
from aces_ci.core.evidence import ChangedSkill, Judgement
from aces_ci.core.gate import GateName, GateResult, Mode, Outcome

LEAST_ITEMS = 50
"""Labelled items below which an interval is too wide to say anything."""
LEAST_KAPPA = 0.6
"""`Substantial` agreement on the scale of Landis and Koch (1977)."""
OWN_SAMPLING = "the model's own sampling"
MOST_FALSE = 0.25
"""Upper end of the 95 % interval of false passes, and of false failures."""


def judge_gate(judgements: Sequence[Judgement], settings: object, mode: Mode, skill: ChangedSkill) -> GateResult:
    """Broken by a score whose whole range lies below `judge.min_score`; undecidable below the calibration bar."""
    chosen: Mapping[str, object] = settings if isinstance(settings, Mapping) else {}
    minimum = chosen.get("min_score")
    found = side_score(judgements, "head")

    def result(outcome: Outcome, reason: str) -> GateResult:
        return GateResult(gate=GateName.JUDGE, mode=mode, outcome=outcome, skill=skill.path, reason=reason)

    if mode is Mode.OFF:
        return result(Outcome.OFF, "switched off")
    if found is None or not isinstance(minimum, int | float):
        return result(Outcome.UNDECIDABLE, "the judge gave no score")
    short = below_bar(chosen.get("calibration"), setups(row for row in judgements if row.side == "head"))
    if short:
        return result(Outcome.UNDECIDABLE, f"the judge informs only: {short}")
    if found.high < minimum:
        return result(Outcome.BROKEN, f"the judge gives {found.score:.1f}, below {minimum:g}")
    return result(Outcome.MET, f"the judge gives {found.score:.1f}, not clearly below {minimum:g}")


def below_bar(calibration: object, by: Sequence[Setup]) -> str | None:
    """Why this judge may not gate, as a clause; None where it may."""
    if not isinstance(calibration, Mapping):
        return "it was never calibrated here (`aces-ci calibrate judge`)"
    other = next((why for setup in by if (why := _other(calibration, setup))), None)
    if other is not None:
        return other
    items, kappa = _number(calibration, "items"), _number(calibration, "kappa")
    wrong = max(_number(calibration, "false_yes", 1.0), _number(calibration, "false_no", 1.0))
    if items < LEAST_ITEMS:
        return f"calibrated on {items:g} labels, {LEAST_ITEMS} are needed"
    if kappa < LEAST_KAPPA:
        return f"its kappa is {kappa:.2f}, {LEAST_KAPPA} is needed"
    if wrong > MOST_FALSE:
        return f"up to {wrong:.0%} of its words may be wrong, {MOST_FALSE:.0%} is the most"
    return None


def _other(calibration: Mapping[object, object], setup: Setup) -> str | None:
    """How the judge that was calibrated differs from the one that judged, as a clause."""
    if calibration.get("judge") != setup.judge:
        return f"`{calibration.get('judge')}` was calibrated, `{setup.judge}` judged"
    if calibration.get("edition", "") != setup.edition:
        return "it was calibrated with other criteria, rules or votes; calibrate it again"
    sampling = calibration.get("sampling", "")
    if sampling != setup.sampling:
        return f"it was calibrated with {sampling or OWN_SAMPLING} and judged with {setup.sampling or OWN_SAMPLING}"
    return None


def _number(values: Mapping[object, object], key: str, default: float = 0.0) -> float:
    value = values.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default
