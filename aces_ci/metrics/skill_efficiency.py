"""Skill efficiency: did the agent go to the right skill only, and did its calls bring the task further?

The mean of routing and tool efficiency, as far as they apply (ACES paper, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.amount import plural
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.sheet import Sheet
from aces_ci.core.grading.subject import Subject
from aces_ci.core.grading.thrift import counted, waste
from aces_ci.core.score import Score
from aces_ci.core.trace.skills import SkillRead

ALTERNATE = 0.75
"""Weight of an acceptable alternate among the skills that were read."""


class SkillEfficiency:
    """Reads the trace alone."""

    name = "skill_efficiency"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where no skill was read and no call was made, and where nobody can tell which skills were read."""
        sheet = Sheet()
        _routing(subject, sheet)
        _tools(subject, sheet)
        return sheet.score(subject, self.name, "no skill was read and no call was made")


def _routing(subject: Subject, sheet: Sheet) -> None:
    """Share of the skills read that were right ones. No skill read: nothing was routed, activation tells
    it.
    """
    if not (subject.positive or subject.negative):
        return
    distinct: dict[str, SkillRead] = {}
    for read in subject.reads:
        if read.worked and read.name:
            distinct.setdefault(_one_name(subject, read.name), read)
    doubtful = next((read for read in subject.reads if _doubtful(subject, read, distinct)), None)
    if doubtful is not None:
        why = doubtful.because or "the path does not say which skill was read"
        sheet.doubt("routing", f"step {doubtful.step}: {why}")
        return
    if not distinct:
        return
    if not subject.cast.target:
        sheet.doubt("routing", subject.why_unknown)
        return
    sheet.cites += [read.step for read in distinct.values()]
    wrong = [read for name, read in distinct.items() if _weight(subject, name) < 1]
    total = sum(_weight(subject, name) for name in distinct)
    because = (
        f"step {wrong[0].step} read {wrong[0].name}"
        if wrong
        else f"{len(distinct)} skill{'s' if len(distinct) > 1 else ''} read, none of them wrong"
    )
    sheet.add("routing", total / len(distinct), because)


def _one_name(subject: Subject, name: str) -> str:
    """A skill by one name: the target has two, its folder's and its declared one."""
    return (subject.cast.target[0] if subject.cast.is_target(name) else name).casefold()


def _doubtful(subject: Subject, read: SkillRead, known: Mapping[str, SkillRead]) -> bool:
    """Whether it may be one more skill that was read, and nobody can tell."""
    if read.name is None:
        return read.worked is not False
    return read.worked is None and _one_name(subject, read.name) not in known


def _weight(subject: Subject, name: str) -> float:
    if subject.cast.is_target(name):
        return 0.0 if subject.negative else 1.0
    if name in {known.casefold() for known in subject.cast.support}:
        return 1.0
    if name in {known.casefold() for known in subject.case.acceptable_skills}:
        return 1.0 if subject.negative else ALTERNATE
    return 0.0 if subject.positive else 1.0


def _tools(subject: Subject, sheet: Sheet) -> None:
    calls = counted(subject.actions)
    if not calls:
        return
    wasted = waste(subject.actions)
    sheet.cites += [each.step for each in wasted] or [calls[0].step, calls[-1].step]
    kinds = sorted({each.kind for each in wasted})
    because = (
        f"{len(wasted)} of {len(calls)} calls wasted ({', '.join(kinds)}), first at step {wasted[0].step}"
        if wasted
        else f"{plural(len(calls), 'call')}, none wasted"
    )
    sheet.add("tools", 1 - len(wasted) / len(calls), because)


METRIC = SkillEfficiency()
