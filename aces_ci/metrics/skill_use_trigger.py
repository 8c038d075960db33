"""Skill-Use trigger: whether the agent retrieved the target skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading import skill_use
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score


class SkillUseTrigger:
    """Reads the trace alone."""

    name = "skill_use_trigger"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None in the baseline, in negative cases, where a gate failed, where the body was preloaded, and where nobody
        can tell.
        """
        why = skill_use.excluded(subject)
        if subject.cast.preloaded:
            why = "the skill's body stood in the context: there was nothing to retrieve"
        if why:
            return subject.score(self.name, None, why)
        steps = tuple(read.step for read in subject.target_reads[:1])
        because = f"step {steps[0]} read the skill" if steps else "the skill was never read"
        triggered = skill_use.trigger(subject)
        return subject.score(self.name, triggered, subject.why_unknown or because, cites=steps)


METRIC = SkillUseTrigger()
