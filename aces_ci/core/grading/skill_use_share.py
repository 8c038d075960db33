"""The metric of one role's items in Skill-Use; compliance is that of the steps, boundary that of the prohibitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.grading import judged_items, skill_use
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Role


@dataclass(slots=True)
class RoleShare:
    """Deterministic as far as the case's checks go; behaviours need a judge."""

    name: str
    role: Role
    version: int = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """One item a behaviour of this role that the trace itself does not answer."""
        if skill_use.excluded(subject):
            return ()
        wanted = {f"behavior/{each.id}" for each in subject.case.behaviors if each.role is self.role}
        return tuple(item for item in judged_items.behaviors(subject) if item.id in wanted)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None in the baseline, in negative cases, where a gate failed, and where the case has no such item."""
        why = skill_use.excluded(subject)
        if why:
            return subject.score(self.name, None, why)
        share = skill_use.share(subject, self.role, settled)
        return subject.score(
            self.name, share.value, share.because, cites=share.cites, parts=share.parts, method=share.method
        )
