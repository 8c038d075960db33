"""What is measured on one trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score


class Metric(Protocol):
    """One metric: pure, one file, constant `METRIC`.

    `questions` is called again with what is settled so far until it asks nothing new, so that one question
    may build on another's answer. `score` never raises and never turns *unknown* into 0.
    """

    name: str
    version: int
    """Part of the grade's key: a change of definition is another grade."""

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """What it has to ask a judge; empty where it needs none, or where it does not apply."""
        ...

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """The value, its parts and the steps it rests on. `settled` None: there is no judge."""
        ...
