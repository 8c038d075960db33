"""Skill-Use over many trials: plain, given the trigger, and how often the trigger was a sham (the Skill-Use paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aces_ci.core.score import Score

SHAM = 0.3
"""Compliance below which a triggered run only pretended to follow the skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillUseSummary:
    """Means over trials; each None where nothing was scored."""

    trials: int
    """Trials of which Skill-Use says anything."""
    su: float | None
    trigger: float | None
    compliance: float | None
    boundary: float | None
    compliance_given_trigger: float | None
    boundary_given_trigger: float | None
    sham_rate: float | None
    """Of the triggered trials, those with compliance under .3."""


def summary(scores: Iterable[Score]) -> SkillUseSummary | None:
    """The forms of the paper; None where no trial has a score of Skill-Use."""
    rows: dict[str, dict[str, float]] = {}
    for score in scores:
        if score.metric.startswith("skill_use") and score.value is not None:
            rows.setdefault(score.trial, {})[score.metric] = score.value
    if not rows:
        return None
    every = list(rows.values())
    triggered = [row for row in every if row.get("skill_use_trigger") == 1.0]
    compliant = _all(triggered, "skill_use_compliance")
    return SkillUseSummary(
        trials=len(every),
        su=_mean(_all(every, "skill_use")),
        trigger=_mean(_all(every, "skill_use_trigger")),
        compliance=_mean(_all(every, "skill_use_compliance")),
        boundary=_mean(_all(every, "skill_use_boundary")),
        compliance_given_trigger=_mean(compliant),
        boundary_given_trigger=_mean(_all(triggered, "skill_use_boundary")),
        sham_rate=_mean([float(value < SHAM) for value in compliant]),
    )


def _all(rows: Iterable[dict[str, float]], metric: str) -> list[float]:
    return [row[metric] for row in rows if metric in row]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
