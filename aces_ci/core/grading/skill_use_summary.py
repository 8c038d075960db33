"""Skill-Use over many trials: plain, given the trigger, and how often the trigger was a sham (the Skill-Use paper)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aces_ci.core.score import Score

SHAM = 0.3
"""Compliance below which a triggered run only pretended to follow the skill."""

FORMS: Mapping[str, str] = {
    "su": "Skill-Use",
    "trigger": "trigger",
    "compliance": "compliance",
    "boundary": "boundary",
    "compliance_given_trigger": "compliance given the trigger",
    "boundary_given_trigger": "boundary given the trigger",
    "sham_rate": "sham triggers",
}
"""What each form is called, by its field of the summary."""


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
    found = forms(scores)
    trials = {trial for values in found.values() for trial in values}
    if not trials:
        return None
    return SkillUseSummary(trials=len(trials), **{name: _mean(values) for name, values in found.items()})


def forms(scores: Iterable[Score]) -> Mapping[str, Mapping[str, float]]:
    """By form, named as the fields of the summary, the value of every trial that has one."""
    rows: dict[str, dict[str, float]] = {}
    for score in scores:
        if score.metric.startswith("skill_use") and score.value is not None:
            rows.setdefault(score.metric, {})[score.trial] = score.value
    trigger = rows.get("skill_use_trigger", {})
    compliance, boundary = rows.get("skill_use_compliance", {}), rows.get("skill_use_boundary", {})
    compliant = {trial: value for trial, value in compliance.items() if trigger.get(trial) == 1.0}
    return {
        "su": rows.get("skill_use", {}),
        "trigger": trigger,
        "compliance": compliance,
        "boundary": boundary,
        "compliance_given_trigger": compliant,
        "boundary_given_trigger": {trial: value for trial, value in boundary.items() if trigger.get(trial) == 1.0},
        "sham_rate": {trial: float(value < SHAM) for trial, value in compliant.items()},
    }


def _mean(values: Mapping[str, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None
