"""What the comparison was made with: versions, judge, agreement, and whether the skill was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from aces_ci.core.grading.skill_use_summary import SkillUseSummary, forms, summary
from aces_ci.core.lift import OUTCOME_PARTS, ScoreTable
from aces_ci.core.live import UseLevel
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.agreement import flip_rate
from aces_ci.statistics.levels import level_interval
from aces_ci.tiers.contrast import estimate

ACTIVATION, AVOIDANCE = "activation", "avoidance"
"""Parts of `skill_execution`: the skill was read as wanted; it was left alone as wanted (negative cases)."""
VOTED = ("accuracy_outcome", "goal_accuracy", "behavior_check")
"""Metrics whose items are counted; `accuracy` and `outcome` ask the same ones again."""


class AgreementFields(TypedDict):
    """Fields of the summary."""

    agreement: tuple[int, int] | None
    flip_rate: float | None


def versions_of(trials: Sequence[Trial]) -> tuple[str, ...]:
    """`harness version` and the model that answered, once each."""
    return tuple(
        dict.fromkeys(
            f"{trial.harness}{' ' + trial.harness_version if trial.harness_version else ''}"
            f" · {trial.resolved_model or trial.model}"
            for trial in trials
            if not trial.missing
        )
    )


def judge_of(trials: Sequence[Trial], scores: ScoreTable) -> str:
    """The methods of the judged outcome parts, once each; empty where code alone graded."""
    methods = dict.fromkeys(
        score.method
        for trial in trials
        for name in OUTCOME_PARTS
        if (score := scores.get(trial.digest, {}).get(name)) is not None
        and score.value is not None
        and score.method != "deterministic"
    )
    return ", ".join(methods)


def activation(trials: Sequence[Trial], scores: ScoreTable) -> tuple[int, int, int, int] | None:
    """How often this change's skill was read where it should be (of), and where it must not (of)."""
    wanted, unwanted = [], []
    for trial in trials:
        score = scores.get(trial.digest, {}).get("skill_execution")
        if trial.arm is Arm.WITH_SKILL and score is not None:
            wanted += [part.value >= 1 for part in score.parts if part.name == ACTIVATION]
            unwanted += [part.value < 1 for part in score.parts if part.name == AVOIDANCE]
    if not wanted and not unwanted:
        return None
    return sum(wanted), len(wanted), sum(unwanted), len(unwanted)


def used(trials: Sequence[Trial], scores: ScoreTable) -> SkillUseSummary | None:
    """Skill-Use of this change's trials."""
    return summary(_mine(trials, scores))


def answers_of(trials: Sequence[Trial]) -> tuple[int, int] | None:
    """(different final answers, runs with one). Runs of a cell that answer alike, as behind a cache of replies, tell
    no more than one of them."""
    cells: dict[tuple[str, ...], list[str]] = {}
    for trial in trials:
        if trial.answer is not None:
            cells.setdefault((trial.case, trial.arm, trial.harness, trial.model), []).append(trial.answer)
    if not cells:
        return None
    return sum(len(set(cell)) for cell in cells.values()), sum(map(len, cells.values()))


def use_levels(trials: Sequence[Trial], scores: ScoreTable) -> tuple[UseLevel, ...]:
    """The forms of Skill-Use, each with its interval on this suite; those of which no trial says anything are left
    out."""
    strata = {trial.digest: (trial.case, trial.harness, trial.model) for trial in trials}
    rows = []
    for name, values in forms(_mine(trials, scores)).items():
        cells: dict[tuple[str, str, str], list[float]] = {}
        for digest, value in values.items():
            cells.setdefault(strata[digest], []).append(value)
        level = estimate(level_interval(list(cells.values())), cases=len({key[0] for key in cells}))
        if level is not None:
            rows.append(UseLevel(form=name, runs=len(values), level=level))
    return tuple(rows)


def _mine(trials: Sequence[Trial], scores: ScoreTable) -> Iterator[Score]:
    for trial in trials:
        if trial.arm is Arm.WITH_SKILL:
            yield from scores.get(trial.digest, {}).values()


def agreement_of(trials: Sequence[Trial], scores: ScoreTable) -> AgreementFields:
    """Agreement of two votes over all judged items, and the flip rate that follows."""
    counts = [
        score.agreement
        for trial in trials
        for name in VOTED
        if (score := scores.get(trial.digest, {}).get(name)) is not None and score.agreement is not None
    ]
    agree, items = sum(same for same, _ in counts), sum(of for _, of in counts)
    if not items:
        return AgreementFields(agreement=None, flip_rate=None)
    return AgreementFields(agreement=(agree, items), flip_rate=flip_rate(1 - agree / items))
