"""Goal accuracy: did the conversation, its tool calls included, end in the stated goal? Yes or no.

Two steps, after RAGAS' AgentGoalAccuracyWithReference: infer the end state from the conversation, then
compare it with the reference. Where the RAGAS worker answered, its verdict stands in the same item and the
method says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score, outcome_parts
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score


class GoalAccuracy:
    """Judged, binary; part of the primary endpoint."""

    name = outcome_parts.GOAL
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """The end state, then the comparison."""
        return judged_items.goal(subject, settled)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None without a reference, without a judge, or where either step failed."""
        found = outcome_parts.goal(subject, settled)
        return found or judged_score.unscored(subject, self.name, "the case has no reference answer")


METRIC = GoalAccuracy()
