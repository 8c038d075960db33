"""Outcome of one trial: the mean of those parts of the primary endpoint that apply to its case.

Over many trials `core.lift.outcomes` is the definition; a test holds the two together. Without a judge it
is what the checks say, and the method tells so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score, outcome_parts
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score


class Outcome:
    """One number in [0, 1] that is blind to the skill."""

    name = "outcome"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """Those of its parts."""
        return (*judged_items.accuracy(subject), *judged_items.goal(subject, settled))

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where nothing applies, or where one part that applies could not be told: never a mean of the
        rest.
        """
        applying = (
            outcome_parts.checks(subject),
            outcome_parts.accuracy(subject, settled),
            outcome_parts.goal(subject, settled),
        )
        parts = [part for part in applying if part and (settled is not None or part.because != judged_score.NO_JUDGE)]
        if not parts:
            why = judged_score.NO_JUDGE if subject.case.reference else "the case has no checks and no reference answer"
            return judged_score.unscored(subject, self.name, why)
        judged = (part.method for part in reversed(parts) if part.method != "deterministic")
        method = next(judged, "deterministic")
        unknown = next((part for part in parts if part.value is None), None)
        if unknown is not None:
            return subject.score(self.name, None, f"{unknown.metric}: {unknown.because}", method=method)
        shown = tuple(
            Part(name=part.metric, value=part.value, because=part.because) for part in parts if part.value is not None
        )
        return subject.score(
            self.name,
            sum(part.value for part in shown) / len(shown),
            judged_score.worst(shown, "all that applies is met"),
            cites=tuple(step for part in parts for step in part.cites),
            parts=shown,
            method=method,
        )


METRIC = Outcome()
