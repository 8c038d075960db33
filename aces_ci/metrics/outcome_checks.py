"""Outcome checks: the weighted share of a case's deterministic outcome checks that passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_score, outcome_parts
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score


class OutcomeChecks:
    """Part of the primary endpoint; needs no judge."""

    name = outcome_parts.CHECKS
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where the case has no outcome checks, or one cannot be told."""
        found = outcome_parts.checks(subject)
        return found or judged_score.unscored(subject, self.name, "the case has no outcome checks")


METRIC = OutcomeChecks()
