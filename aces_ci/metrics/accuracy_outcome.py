"""Accuracy in outcome form: the four items that are blind to the skill; part of the primary endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score, outcome_parts
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score


class AccuracyOutcome:
    """Judged; asks nothing that accuracy does not ask."""

    name = outcome_parts.ACCURACY
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """Four items, where the case has a reference answer."""
        return judged_items.accuracy(subject)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None without a reference, without a judge, or where one item has no answer."""
        found = outcome_parts.accuracy(subject, settled)
        return found or judged_score.unscored(subject, self.name, "the case has no reference answer")


METRIC = AccuracyOutcome()
