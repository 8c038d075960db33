"""Out-of-scope avoidance: on a task that the skill is not for, was it left alone? (the Skill-Use paper)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.judged_score import NOTHING_DONE
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm


class ScopeAvoidance:
    """Reads the trace alone."""

    name = "scope_avoidance"
    version = 2

    def questions(self, subject: Subject, settled: Mapping[str, Settled]) -> Sequence[Item]:
        """None."""
        return ()

    def score(self, subject: Subject, settled: Mapping[str, Settled] | None) -> Score:
        """None on cases that want the skill, in the baseline, where there is nothing to avoid, where the agent did
        nothing at all, and where nobody can tell.
        """
        if not subject.negative:
            return subject.score(self.name, None, "the case is not a negative one")
        if subject.trial.arm is Arm.BASELINE:
            return subject.score(self.name, None, "there is no skill in this arm")
        if subject.idle:
            return subject.score(self.name, None, NOTHING_DONE)
        if subject.opened is None:
            return subject.score(self.name, None, subject.why_unknown)
        steps = tuple(read.step for read in subject.target_reads[:1])
        because = f"step {steps[0]} read the skill" if steps else "the skill was left alone"
        return subject.score(self.name, float(not steps), because, cites=steps)


METRIC = ScopeAvoidance()
