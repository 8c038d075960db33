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
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """Four items, where the case has a reference answer."""
        return judged_items.accuracy(subject)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None without a reference, without a judge, where the agent did nothing, where a vote failed, and where none
        of the judge's items could be told.
        """
        if not subject.case.reference:
            return judged_score.unscored(subject, self.name, "the case has no reference answer")
        if subject.idle:
            return judged_score.unscored(subject, self.name, judged_score.NOTHING_DONE)
        items = judged_items.accuracy(subject)
        if settled is None:
            return judged_score.unscored(subject, self.name, judged_score.NO_JUDGE)
        why = judged_score.missing(items, settled)
        used = [settled[item.id] for item in items if item.id in settled]
        if why:
            return judged_score.unscored(subject, self.name, why, used)
        parts = judged_score.parts(items, settled)
        clauses = judged_score.untold(items, settled)
        if not parts:
            return judged_score.unscored(subject, self.name, judged_score.left_out(clauses, len(items)), used)
        asks = _asks_skill(subject)
        if asks and _unsure(subject):
            clauses.append(f"right_skill: {subject.why_unknown}")
        elif asks:
            parts.insert(0, _right_skill(subject))
        because = judged_score.worst(parts, f"{len(parts)} of {len(parts)} questions answered yes")
        return subject.score(
            self.name,
            sum(part.value for part in parts) / len(parts),
            judged_score.joined(because, judged_score.left_out(clauses, len(items) + asks)),
            cites=judged_score.cites(items, settled),
            parts=tuple(parts),
            method=judged_score.method(used),
        )


def _asks_skill(subject: Subject) -> bool:
    """Whether the case says anything about the skill that was there to be opened."""
    return not subject.cast.preloaded and (subject.positive or subject.negative)


def _unsure(subject: Subject) -> bool:
    return subject.opened is None and not (subject.positive and _alternate(subject))


def _alternate(subject: Subject) -> bool:
    names = {name.casefold() for name in subject.case.acceptable_skills}
    return any(read.worked and (read.name or "").casefold() in names for read in subject.reads)


def _right_skill(subject: Subject) -> Part:
    opened = subject.opened is True
    if subject.negative:
        return Part(name="right_skill", value=float(not opened), because="opened" if opened else "left alone")
    other = _alternate(subject)
    because = "opened" if opened else "an alternate was opened" if other else "never opened"
    return Part(name="right_skill", value=float(opened or other), because=because)


METRIC = Accuracy()
