"""One trial as metrics see it: everything that is derived from the trace is derived once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.grading.cast import Cast
from aces_ci.core.score import Part, Score
from aces_ci.core.suites.case import Case, Check
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.skills import SkillRead
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a deterministic check said. `passed` None: it could not be told, and `because` says why."""

    check: Check
    passed: bool | None
    because: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is graded."""

    trial: Trial
    trajectory: Trajectory
    case: Case
    cast: Cast
    workspace: Mapping[str, bytes] | None = None
    """Collected files by workspace-relative path; None where nothing was collected: an imported trace."""
    actions: tuple[Action, ...] = ()
    reads: tuple[SkillRead, ...] = ()
    checked: tuple[Checked, ...] = ()

    @property
    def negative(self) -> bool:
        """Whether the target must *not* be used."""
        return self.case.trigger is False

    @property
    def positive(self) -> bool:
        """Whether the case says that the target is to be used."""
        return not self.negative and (self.case.trigger is True or self.case.expected_skill is not None)

    @property
    def answer(self) -> str | None:
        """The final answer, or None where the run ended without one."""
        found = self.trajectory.answer
        return found[1] if found else None

    @property
    def target_reads(self) -> tuple[SkillRead, ...]:
        """Readings of the target that worked."""
        return tuple(read for read in self.reads if read.worked and self.cast.is_target(read.name))

    @property
    def doubtful_reads(self) -> tuple[SkillRead, ...]:
        """Readings that may be of the target and may have worked: nobody can tell."""
        return tuple(
            read
            for read in self.reads
            if (read.worked is None and (read.name is None or self.cast.is_target(read.name)))
            or (read.worked and read.name is None)
        )

    @property
    def opened(self) -> bool | None:
        """Whether the target's content reached the model; None where nobody can tell, and `why_unknown` says why."""
        return True if self.target_reads else None if self.why_unknown else False

    @property
    def why_unknown(self) -> str:
        """Why nobody can tell whether the target was opened; empty where it can be told."""
        if self.target_reads:
            return ""
        if not self.cast.target:
            return "nobody said which skill the case is about: name it (`--skill`)"
        doubtful = next(iter(self.doubtful_reads), None)
        if doubtful is None:
            return ""
        return f"step {doubtful.step}: {doubtful.because or 'the path does not say which skill was read'}"

    @property
    def idle(self) -> bool:
        """Whether the agent made no call and said nothing: there is nothing to grade but what was left behind."""
        return not self.actions and not any(step.source == "agent" and step.text for step in self.trajectory.steps)

    @property
    def looked_at(self) -> tuple[int, ...]:
        """Steps in which something was called; the last one where nothing was."""
        return tuple(sorted({action.step for action in self.actions})) or (self.trajectory.steps[-1].step_id,)

    def score(
        self,
        metric: str,
        value: float | None,
        because: str,
        *,
        cites: tuple[int, ...] = (),
        parts: tuple[Part, ...] = (),
        method: str = "deterministic",
    ) -> Score:
        """A score of this trial; cited steps sorted, each once; the value on nine digits.

        A value that rests on no single step, as that something never happened, cites all that were looked at.
        """
        return Score(
            trial=self.trial.digest,
            metric=metric,
            value=None if value is None else round(value, 9),
            because=because,
            cites=tuple(sorted(set(cites))) or (() if value is None else self.looked_at),
            parts=parts,
            method=method,
        )
