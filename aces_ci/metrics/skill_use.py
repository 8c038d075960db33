"""Skill-Use: SU(alpha) = trigger x (alpha compliance + (1 - alpha) boundary), alpha .7 (the Skill-Use
paper).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, skill_use
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score
from aces_ci.core.suites.case import Role


class SkillUse:
    """Task outcome is no part of it."""

    name = "skill_use"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """One item a behaviour that the trace itself does not answer."""
        return () if skill_use.excluded(subject) else judged_items.behaviors(subject)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None where Skill-Use does not apply, where an item could not be told, or where the case has
        none.
        """
        why = skill_use.excluded(subject)
        if why:
            return subject.score(self.name, None, why)
        triggered = skill_use.trigger(subject)
        if triggered is None:
            return subject.score(self.name, None, subject.why_unknown)
        compliance = skill_use.share(subject, Role.MUST, settled)
        boundary = skill_use.share(subject, Role.MUST_NOT, settled)
        unknown = next((each for each in (compliance, boundary) if each.value is None and not each.absent), None)
        value = skill_use.combined(triggered, compliance.value, boundary.value)
        if unknown is not None or value is None:
            return subject.score(self.name, None, (unknown or compliance).because)
        named = (("compliance", compliance), ("boundary", boundary))
        parts = [Part(name="trigger", value=triggered, because="read" if triggered else "never read")]
        parts += [
            Part(name=name, value=each.value, because=each.because) for name, each in named if each.value is not None
        ]
        methods = [each.method for each in (compliance, boundary) if each.method != "deterministic"]
        return subject.score(
            self.name,
            value,
            min(parts, key=lambda part: part.value).because,
            cites=(*compliance.cites, *boundary.cites, *(read.step for read in subject.target_reads[:1])),
            parts=tuple(parts),
            method=methods[0] if methods else "deterministic",
        )


METRIC = SkillUse()
