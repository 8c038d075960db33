"""Skill-Use compliance: the weighted share of the prescribed steps that were followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import judged_items, skill_use
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Role


class SkillUseCompliance:
    """Deterministic as far as the case's checks go; behaviours need a judge."""

    name = "skill_use_compliance"
    version = 1

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """One item a behaviour of this role that the trace itself does not answer."""
        if skill_use.excluded(subject):
            return ()
        wanted = {f"behavior/{each.id}" for each in subject.case.behaviors if each.role is Role.MUST}
        return tuple(item for item in judged_items.behaviors(subject) if item.id in wanted)

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None in the baseline, in negative cases, where a gate failed, and where the case has no such
        item.
        """
        why = skill_use.excluded(subject)
        if why:
            return subject.score(self.name, None, why)
        share = skill_use.share(subject, Role.MUST, settled)
        return subject.score(
            self.name, share.value, share.because, cites=share.cites, parts=share.parts, method=share.method
        )


METRIC = SkillUseCompliance()
