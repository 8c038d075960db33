"""What the comparison was made with: versions, judge, agreement, and whether the skill was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from aces_ci.core.lift import OUTCOME_PARTS, ScoreTable
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.agreement import flip_rate

ACTIVATION = "activation"
"""Name of the part of `skill_execution` that says whether the skill was read."""
VOTES_AGREE = "votes_agree"
"""Name of the part of a judged score that holds the share of its items on which two votes agree, with `n
items`."""


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


def activation(trials: Sequence[Trial], scores: ScoreTable, plan: LivePlan) -> tuple[int, int, int, int] | None:
    """How often this change's skill was read where it should be (of), and where it should not (of)."""
    read = {False: [0, 0], True: [0, 0]}
    for trial in trials:
        if trial.arm is not Arm.WITH_SKILL:
            continue
        score = scores.get(trial.digest, {}).get("skill_execution")
        part = next((part for part in score.parts if part.name == ACTIVATION), None) if score else None
        if part is None:
            continue
        negative = trial.case in plan.cases and plan.cases[trial.case].negative
        did_read = part.value >= 1 if not negative else part.value < 1
        read[negative][0] += did_read
        read[negative][1] += 1
    if not read[False][1] and not read[True][1]:
        return None
    return read[False][0], read[False][1], read[True][0], read[True][1]


def agreement_of(trials: Sequence[Trial], scores: ScoreTable) -> AgreementFields:
    """Agreement of two votes over all judged items, and the flip rate that follows."""
    agree = items = 0
    for trial in trials:
        for score in scores.get(trial.digest, {}).values():
            for part in score.parts:
                if part.name == VOTES_AGREE and part.because.split(" ")[0].isdigit():
                    count = int(part.because.split(" ")[0])
                    items, agree = items + count, agree + round(part.value * count)
    if not items:
        return AgreementFields(agreement=None, flip_rate=None)
    return AgreementFields(agreement=(agree, items), flip_rate=flip_rate(1 - agree / items))
