"""The runs of two arms on the cases that went worse, with what each did."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.diagnosis import Excerpt
from aces_ci.core.estimate import Contrast
from aces_ci.core.lift import ScoreTable
from aces_ci.core.live import LiveSummary
from aces_ci.core.score import Part, Score
from aces_ci.core.trace.actions import Action, actions
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Trial

LINE_LIMIT = 160
EXCERPT_LINES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One trial with its scores and, where its trajectory is at hand, its calls."""

    trial: Trial
    scores: Mapping[str, Score]
    actions: tuple[Action, ...]
    answer: str | None
    """The final answer; None where there is none or no trajectory."""
    traced: bool

    def value(self, metric: str) -> float | None:
        """One metric; None where it was not scored."""
        score = self.scores.get(metric)
        return score.value if score else None

    def part(self, metric: str, name: str) -> Part | None:
        """One part of a metric."""
        score = self.scores.get(metric)
        return next((part for part in score.parts if part.name == name), None) if score else None

    def uses(self, signal: str) -> int | None:
        """Step of the first call that carries the text literally; None: no call does."""
        return next((action.step for action in self.actions if signal in said(action)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Both arms on the same cases."""

    cases: tuple[str, ...]
    this: tuple[Run, ...]
    other: tuple[Run, ...]
    fell: bool
    """Whether the mean of each of these cases fell; else they are all cases."""

    def beside(self, run: Run) -> Run | None:
        """The comparator's run of the same case and, where there is one, attempt."""
        same = [other for other in self.other if other.trial.case == run.trial.case]
        return next((o for o in same if o.trial.attempt == run.trial.attempt), same[0] if same else None)


def said(action: Action) -> str:
    """The call as text: the shell script, else its arguments."""
    return action.script or json.dumps(dict(action.arguments), ensure_ascii=False, default=str)


def collect(
    summary: LiveSummary,
    trials: Sequence[Trial],
    scores: ScoreTable,
    trajectories: Mapping[str, Trajectory],
    *,
    everywhere: bool = False,
) -> Runs:
    """Runs on the cases whose mean fell against the comparator; on all cases where none fell, or `everywhere`."""
    other = Arm.PREVIOUS if summary.basis is Contrast.CHANGE else Arm.BASELINE
    fallen = []
    for row in summary.cases:
        levels = dict(row.levels)
        this, that = levels.get(Arm.WITH_SKILL), levels.get(other)
        if this is not None and that is not None and this < that and not everywhere:
            fallen.append((this - that, row.case))
    cases = tuple(case for _, case in sorted(fallen)) or tuple(row.case for row in summary.cases)

    def runs(arm: Arm) -> tuple[Run, ...]:
        chosen = (t for t in trials if t.arm is arm and t.case in cases and t.mode == summary.mode and not t.missing)
        return tuple(_run(t, scores, trajectories.get(t.digest)) for t in chosen if t.attempt <= summary.attempts)

    return Runs(cases=cases, this=runs(Arm.WITH_SKILL), other=runs(other), fell=bool(fallen))


def _run(trial: Trial, scores: ScoreTable, trajectory: Trajectory | None) -> Run:
    answer = trajectory.answer if trajectory else None
    return Run(
        trial=trial,
        scores=scores.get(trial.digest, {}),
        actions=actions(trajectory) if trajectory else (),
        answer=answer[1] if answer else None,
        traced=trajectory is not None,
    )


def excerpt(run: Run | None, around: Callable[[Action], bool] | None = None, start: int = 0) -> Excerpt | None:
    """At most four calls of one run, from the one before the first that `around` accepts, else from `start`."""
    if run is None or not run.actions:
        return None
    at = start
    if around is not None:
        at = max(0, next((n for n, action in enumerate(run.actions) if around(action)), start + 1) - 1)
    shown = run.actions[at : at + EXCERPT_LINES] or run.actions[-EXCERPT_LINES:]
    return Excerpt(
        trial=run.trial.digest,
        arm=run.trial.arm,
        case=run.trial.case,
        steps=tuple(action.step for action in shown),
        lines=tuple(_line(action) for action in shown),
    )


def _line(action: Action) -> str:
    text = " ".join(said(action).split())
    ended = "" if action.failed is None else " (failed)" if action.failed else ""
    return f"step {action.step} {action.tool}: {text}"[:LINE_LIMIT] + ended


def first_difference(one: Run, two: Run) -> int:
    """Index of the first call that the two runs do not share."""
    pairs = zip(one.actions, two.actions, strict=False)
    shared = 0
    for first, second in pairs:
        if (first.deed, said(first)) != (second.deed, said(second)):
            break
        shared += 1
    return shared
