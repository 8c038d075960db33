"""Accuracy: five closed questions about the result (ACES paper, section 4); the share of yes.

Right skill, right action, facts agree with the reference, the task addressed, actionable. The first is read
off the trace and left out where no skill is expected; the judge answers the other four without seeing which
skill there was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score


class Accuracy:
    """Judged; the judge's own total, if it gave one, would count for nothing."""

    name = "accuracy"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """Four items, where the case has a reference answer."""
        return judged_items.accuracy(subject)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None without a reference, without a judge, or where one item has no answer."""
        items = judged_items.accuracy(subject)
        if not items:
            return judged_score.unscored(subject, self.name, "the case has no reference answer")
        if settled is None:
            return judged_score.unscored(subject, self.name, judged_score.NO_JUDGE)
        why = judged_score.missing(items, settled)
        used = [settled[item.id] for item in items if item.id in settled]
        if why:
            return judged_score.unscored(subject, self.name, why, used)
        parts = judged_score.parts(items, settled)
        skill = _right_skill(subject)
        if skill:
            parts.insert(0, skill)
        return subject.score(
            self.name,
            sum(part.value for part in parts) / len(parts),
            judged_score.worst(parts, f"{len(parts)} of {len(parts)} questions answered yes"),
            cites=judged_score.cites(items, settled),
            parts=tuple(parts),
            method=judged_score.method(used),
        )


def _right_skill(subject: Subject) -> Part | None:
    if subject.cast.preloaded or not (subject.positive or subject.negative):
        return None
    opened = bool(subject.target_reads)
    if subject.negative:
        return Part(name="right_skill", value=float(not opened), because="opened" if opened else "left alone")
    names = {name.casefold() for name in subject.case.acceptable_skills}
    other = any(read.worked and (read.name or "").casefold() in names for read in subject.reads)
    because = "opened" if opened else "an alternate was opened" if other else "never opened"
    return Part(name="right_skill", value=float(opened or other), because=because)


METRIC = Accuracy()
