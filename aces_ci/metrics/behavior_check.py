"""Behaviour check: the share of the expected behaviours that the trace shows (ACES paper, section 4).

A behaviour that only says that the skill is opened is read off the trace; every other one is a closed
question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score
from aces_ci.core.suites.case import Behavior, Role


class BehaviorCheck:
    """Judged, weighted by the author's weights. Prohibitions belong to Skill-Use's boundary, not here."""

    name = "behavior_check"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """One item a behaviour."""
        wanted = {f"behavior/{behavior.id}" for behavior in _expected(subject)}
        return tuple(item for item in judged_items.behaviors(subject) if item.id in wanted)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where none is expected, one was not answered, or there is no judge for those that need one."""
        expected = _expected(subject)
        if not expected:
            return judged_score.unscored(subject, self.name, "the case lists no behaviours")
        items = self.questions(subject, {})
        if items and settled is None:
            return judged_score.unscored(subject, self.name, judged_score.NO_JUDGE)
        known = settled or {}
        why = judged_score.missing(items, known)
        used = [known[item.id] for item in items if item.id in known]
        if why:
            return judged_score.unscored(subject, self.name, why, used)
        parts = [_part(subject, behavior, known) for behavior in expected]
        weights = [behavior.weight for behavior in expected]
        total = sum(weights)
        if total <= 0:
            return judged_score.unscored(subject, self.name, "the behaviours have no weight")
        met = sum(part.value * weight for part, weight in zip(parts, weights, strict=True))
        opened = tuple(read.step for read in subject.target_reads[:1])
        return subject.score(
            self.name,
            met / total,
            judged_score.worst(parts, f"{len(parts)} of {len(parts)} behaviours shown"),
            cites=(*judged_score.cites(items, known), *opened),
            parts=tuple(parts),
            method=judged_score.method(used) if items else "deterministic",
        )


def _expected(subject: Subject) -> list[Behavior]:
    return [behavior for behavior in subject.case.behaviors if behavior.role in {Role.MUST, Role.OUTCOME}]


def _part(subject: Subject, behavior: Behavior, settled: Mapping[str, Settled]) -> Part:
    met = judged_items.opening(subject, behavior.text)
    if met is not None:
        because = "the trace shows it" if met else "the trace does not show it"
        return Part(name=behavior.id, value=float(met), because=because)
    item = next(item for item in judged_items.behaviors(subject) if item.id == f"behavior/{behavior.id}")
    return judged_score.parts([item], settled)[0]


METRIC = BehaviorCheck()
