"""Behaviour check: the share of the expected behaviours that the trace shows (ACES paper, section 4).

A behaviour that only says that the skill is opened is read off the trace; every other one is a closed
question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.behaviors import weighed
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Behavior, Role


class BehaviorCheck:
    """Judged, weighted by the author's weights. Prohibitions belong to Skill-Use's boundary, not here."""

    name = "behavior_check"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """One item a behaviour that the trace itself does not answer."""
        wanted = {f"behavior/{behavior.id}" for behavior in _expected(subject)}
        return tuple(item for item in judged_items.behaviors(subject) if item.id in wanted)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where none is expected, the agent did nothing, a vote failed, none can be told, or there is no judge
        for those that need one.
        """
        expected = _expected(subject)
        if not expected:
            return judged_score.unscored(subject, self.name, "the case lists no behaviours")
        if subject.idle:
            return judged_score.unscored(subject, self.name, judged_score.NOTHING_DONE)
        items = self.questions(subject, {})
        if items and settled is None:
            return judged_score.unscored(subject, self.name, judged_score.NO_JUDGE)
        known = settled or {}
        why = judged_score.missing(items, known)
        used = [known[item.id] for item in items if item.id in known]
        if why:
            return judged_score.unscored(subject, self.name, why, used)
        told = weighed(subject, expected, known)
        if not told.parts:
            return judged_score.unscored(subject, self.name, told.left_out, used)
        if told.weight <= 0:
            return judged_score.unscored(subject, self.name, "the behaviours have no weight")
        because = judged_score.worst(told.parts, f"{len(told.parts)} of {len(told.parts)} behaviours shown")
        opened = tuple(read.step for read in subject.target_reads[:1])
        return subject.score(
            self.name,
            told.value,
            judged_score.joined(because, told.left_out),
            cites=(*told.cites, *opened),
            parts=told.parts,
            method=judged_score.method(used) if items else "deterministic",
        )


def _expected(subject: Subject) -> list[Behavior]:
    return [behavior for behavior in subject.case.behaviors if behavior.role in {Role.MUST, Role.OUTCOME}]


METRIC = BehaviorCheck()
