"""What the primary endpoint is made of: checks, accuracy in outcome form, goal
accuracy.

Each gives None where it does not apply to the case, and a score without a value where it applies and could
not be told. All are blind to the skill: whether it was opened never enters.
"""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.judged import Item, Locus, Settled, Word
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score
from aces_ci.core.suites.case import Role

CHECKS, ACCURACY, GOAL = "outcome_checks", "accuracy_outcome", "goal_accuracy"


def checks(subject: Subject) -> Score | None:
    """Weighted share of the deterministic outcome checks that passed."""
    found = [each for each in subject.checked if each.check.role is Role.OUTCOME]
    weight = sum(each.check.weight for each in found)
    if weight <= 0:
        return None
    unknown = next((each for each in found if each.passed is None), None)
    if unknown is not None:
        return judged_score.unscored(subject, CHECKS, f"check {unknown.check.id}: {unknown.because}")
    parts = tuple(Part(name=each.check.id, value=float(bool(each.passed)), because=each.because) for each in found)
    return subject.score(
        CHECKS,
        sum(each.check.weight for each in found if each.passed) / weight,
        judged_score.worst(parts, f"{len(parts)} of {len(parts)} checks passed"),
        cites=tuple(step for each in found for step in each.cites),
        parts=parts,
    )


def accuracy(subject: Subject, settled: Mapping[str, Settled] | None) -> Score | None:
    """Share of yes over the four items that do not ask about the skill."""
    if not subject.case.reference:
        return None
    if settled is None:
        return judged_score.unscored(subject, ACCURACY, judged_score.NO_JUDGE)
    if subject.idle:
        return judged_score.unscored(subject, ACCURACY, judged_score.NOTHING_DONE)
    items = judged_items.accuracy(subject)
    used = [settled[item.id] for item in items if item.id in settled]
    why = judged_score.missing(items, settled)
    if why:
        return judged_score.unscored(subject, ACCURACY, why, used)
    parts = judged_score.parts(items, settled)
    left = judged_score.left_out(judged_score.untold(items, settled), len(items))
    if not parts:
        return judged_score.unscored(subject, ACCURACY, left, used)
    because = judged_score.worst(parts, f"{len(parts)} of {len(parts)} questions answered yes")
    return subject.score(
        ACCURACY,
        sum(part.value for part in parts) / len(parts),
        judged_score.joined(because, left),
        cites=judged_score.cites(items, settled),
        parts=tuple(parts),
        method=judged_score.method(used),
    )


def goal(subject: Subject, settled: Mapping[str, Settled] | None) -> Score | None:
    """1 where the run ended in the stated goal, else 0; without a value where the judge cannot tell."""
    if not subject.case.reference:
        return None
    if settled is None:
        return judged_score.unscored(subject, GOAL, judged_score.NO_JUDGE)
    if subject.idle:
        return judged_score.unscored(subject, GOAL, judged_score.NOTHING_DONE)
    found = judged_items.reached(settled)
    if found is None or found.word is None:
        error = found.error if found else "it was not asked"
        return judged_score.unscored(subject, GOAL, f"the judge could not say: {error}", [found] if found else [])
    if found.word is Word.CANNOT_TELL:
        reached = Item(id=judged_items.REACHED, claim="", locus=Locus.OUTCOME)
        (why,) = judged_score.untold([reached], {reached.id: found})
        return judged_score.unscored(subject, GOAL, f"the judge cannot tell: {why}", [found])
    because = found.reason or ("the goal was reached" if found.yes else "the goal was not reached")
    return subject.score(
        GOAL,
        float(found.yes),
        because,
        cites=found.cites,
        parts=(Part(name="reached", value=float(found.yes), because=because),),
        method=judged_score.method([found], found.way),
    )
