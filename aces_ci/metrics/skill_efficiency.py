"""Skill efficiency: did the agent go to the right skill only, and did its calls bring the task further?

The mean of routing and tool efficiency, as far as they apply (ACES paper, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.grading.thrift import counted, waste
from aces_ci.core.score import Part, Score
from aces_ci.core.trace.skills import SkillRead

ALTERNATE = 0.75
"""Weight of an acceptable alternate among the skills that were read."""


class SkillEfficiency:
    """Reads the trace alone."""

    name = "skill_efficiency"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where no skill was read and no call was made."""
        cites: list[int] = []
        parts = [part for part in (_routing(subject, cites), _tools(subject, cites)) if part]
        if not parts:
            return subject.score(self.name, None, "no skill was read and no call was made")
        value = sum(part.value for part in parts) / len(parts)
        worst = min(parts, key=lambda part: part.value)
        return subject.score(self.name, value, worst.because, cites=tuple(cites), parts=tuple(parts))


def _routing(subject: Subject, cites: list[int]) -> Part | None:
    """Share of the skills read that were right ones. No skill read: nothing was routed, activation tells
    it.
    """
    distinct: dict[str, SkillRead] = {}
    for read in subject.reads:
        if read.worked and read.name:
            distinct.setdefault(read.name.casefold(), read)
    if not distinct or not (subject.positive or subject.negative):
        return None
    cites += [read.step for read in distinct.values()]
    wrong = [read for name, read in distinct.items() if _weight(subject, name) < 1]
    total = sum(_weight(subject, name) for name in distinct)
    because = (
        f"step {wrong[0].step} read {wrong[0].name}"
        if wrong
        else f"{len(distinct)} skill{'s' if len(distinct) > 1 else ''} read, none of them wrong"
    )
    return Part(name="routing", value=total / len(distinct), because=because)


def _weight(subject: Subject, name: str) -> float:
    if subject.cast.is_target(name):
        return 0.0 if subject.negative else 1.0
    if name in {known.casefold() for known in subject.cast.support}:
        return 1.0
    if name in {known.casefold() for known in subject.case.acceptable_skills}:
        return 1.0 if subject.negative else ALTERNATE
    return 0.0 if subject.positive else 1.0


def _tools(subject: Subject, cites: list[int]) -> Part | None:
    calls = counted(subject.actions)
    if not calls:
        return None
    wasted = waste(subject.actions)
    cites += [each.step for each in wasted] or [calls[0].step, calls[-1].step]
    kinds = sorted({each.kind for each in wasted})
    because = (
        f"{len(wasted)} of {len(calls)} calls wasted ({', '.join(kinds)}), first at step {wasted[0].step}"
        if wasted
        else f"{len(calls)} calls, none wasted"
    )
    return Part(name="tools", value=1 - len(wasted) / len(calls), because=because)


METRIC = SkillEfficiency()
