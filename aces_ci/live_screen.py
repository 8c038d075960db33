"""What `aces-ci live` says at a terminal: how far it is, and what came out."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TypedDict

from aces_ci.core.amount import dollars
from aces_ci.core.estimate import Contrast
from aces_ci.core.inert import plain
from aces_ci.core.lift import OUTCOME
from aces_ci.core.live import LiveSummary
from aces_ci.core.live_frame import ARM_WORDS, Mark, Moment, frame, mark_of
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.live_text import SPOKEN, arm_lines, difference_against, difference_of
from aces_ci.core.plan import Subject, TrialPlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Trial
from aces_ci.grading import Grades
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.live import Ended, Progress

Say = Callable[[str], None]
_MAIN = ARM_WORDS[Arm.PREVIOUS]
_COUNTED = (Mark.DONE, Mark.RETRIED, Mark.FAILED)
"""Marks of runs that have an outcome, or would have one."""


class _Scored(TypedDict):
    scores: Mapping[tuple[str, str], float]
    behind: frozenset[tuple[str, str]]


class Board:
    """The state of a run as people see it: a frame for a terminal, and a line a change for everything else."""

    def __init__(
        self,
        plan: TrialPlan,
        *,
        done: Mapping[str, Trial],
        cap_micros: int | None,
        paid_micros: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan, self._now = plan, now
        wanted = {trial.digest for trial in plan.trials}
        self._marks = {digest: mark_of(trial) for digest, trial in done.items() if digest in wanted}
        self._begun = now()
        self._moment = Moment(
            marks=self._marks,
            scores={},
            look=0,
            cap_micros=cap_micros,
            paid_micros=paid_micros,
            priced=_priced(plan),
        )
        self._ended = self._lost = 0
        self._told: dict[str, float | None] = {}

    def foretold(self, outcomes: Mapping[str, float | None]) -> None:
        """By digest: how runs of the arm with the skill came out; None where there is nothing to score."""
        self._told |= outcomes
        self._moment = replace(self._moment, **self._so_far())

    def _so_far(self) -> _Scored:
        """The mean of each case over the runs that are told, and the cases of which not all ended ones are."""
        values: dict[tuple[str, str], list[float]] = {}
        behind = set()
        for planned in self._plan.trials:
            if planned.arm is not Arm.WITH_SKILL or planned.side != "base":
                continue
            key, ended = (planned.skill, planned.case), self._marks.get(planned.digest, Mark.WAITING) in _COUNTED
            value = self._told.get(planned.digest)
            if ended and planned.digest not in self._told:
                behind.add(key)
            if value is not None:
                values.setdefault(key, []).append(value)
        return {"scores": {key: fmean(found) for key, found in values.items()}, "behind": frozenset(behind)}

    def take(self, event: Progress) -> str | None:
        """A run started or ended; the line for a log, which tells ends alone."""
        trial = event.trial
        mark = Mark.RUNNING if trial is None else mark_of(trial, tries=event.tries)
        # A new mapping each time: the frame is drawn by another thread.
        self._marks = {**self._marks, event.planned.digest: mark}
        self._moment = replace(self._moment, marks=self._marks, **self._so_far())
        if trial is None:
            return None
        self._moment = replace(self._moment, paid_micros=event.paid_micros)
        self._ended += 1
        self._lost += int(trial.missing)
        because = f"  {plain(trial.because, 100)}" if trial.because else ""
        return (
            f"{mark} {plain(trial.case, 40)} · {ARM_WORDS[trial.arm]} · run {trial.attempt} · {trial.seconds:.0f} s"
            f"  {self._ended} of {self._plan.forecast.new} done · {self._lost} lost"
            f" · {_money(self._plan, event.paid_micros)}{because}"
        )

    def looked(
        self,
        look: int,
        found: Mapping[str, LiveSummary],
        trials: Sequence[Trial],
        scores: Sequence[Score],
        why: str,
    ) -> list[str]:
        """All runs of a look are there; the lines for a log. `why`: the reason to stop, or empty."""
        findings = []
        for skill, summary in found.items():
            name = f"{plain(skill.rsplit('/', 1)[-1], 40)}: " if len(found) > 1 else ""
            findings.append(f"{name}{_against(summary)}  {'decided' if why else 'not decided'}")
        self._moment = replace(self._moment, look=look, findings=tuple(findings))
        self.foretold(_outcomes(trials, scores))
        return [f"look {look} of {len(self._plan.design.looks)}: {finding}" for finding in findings]

    def lines(self, width: int, height: int) -> list[str]:
        """The frame of this moment."""
        moment = replace(self._moment, seconds=self._now() - self._begun)
        return frame(self._plan, moment, width=width, height=height)


def summaries(
    plan: TrialPlan, trials: Sequence[Trial], scores: Sequence[Score], analysis: LivePlan
) -> dict[str, LiveSummary]:
    """By skill, those that have trials."""
    found = {}
    for subject in plan.subjects:
        own = [trial for trial in trials if (trial.skill, trial.side) == (subject.skill, subject.side)]
        if own:
            cases = {case.id: analysis.cases[case.id] for case in subject.cases}
            found[subject.skill] = summarise(own, scores, replace(analysis.for_skill(subject.skill), cases=cases))
    return found


class Teller:
    """Between the tier and the board: grades what a look needs, and says what may be said."""

    def __init__(
        self, plan: TrialPlan, analysis: LivePlan, grades: Grades, board: Board, say: Say, stop: threading.Event
    ) -> None:
        self._plan, self._analysis, self._grades = plan, analysis, grades
        self._board, self._say, self._stop = board, say, stop
        self.reason: str | None = None
        """Why no further look is needed, once one said so."""
        board.foretold(_outcomes(list(grades.trials.values()), grades.all_scores))

    def progress(self, event: Progress) -> None:
        """A run started or ended."""
        line = self._board.take(event)
        if event.trial is not None:
            self._grades.trials[event.trial.digest] = event.trial
            self._board.foretold(self._grades.foretold(event.planned))
        if line is not None:
            self._say(line)

    def decided(self, look: int) -> str | None:
        """All runs of a look are there: why no further one is needed, or None.

        Where it is interrupted not all of them are graded, and nothing is said of the look.
        """
        reason = self._grades.decided(look, self._stop.is_set)
        if self._stop.is_set():
            return None
        trials = list(self._grades.trials.values())
        for line in self._board.looked(look, self.summaries(), trials, self._grades.all_scores, reason or ""):
            self._say(line)
        self.reason = reason
        return reason

    def summaries(self) -> dict[str, LiveSummary]:
        """What can be said of each skill now."""
        return summaries(self._plan, list(self._grades.trials.values()), self._grades.all_scores, self._analysis)


def closing(
    plan: TrialPlan,
    found: Mapping[str, LiveSummary],
    ended: Ended,
    output: Path,
    *,
    done: Mapping[str, Trial],
    before_micros: int,
) -> Iterator[str]:
    """The word for each skill, why, and what it cost.

    `done`: trials of earlier starts by digest, which saved their price; `before_micros`: what those starts paid.
    """
    for subject in plan.subjects:
        summary = found.get(subject.skill)
        if summary is None:
            yield f"no verdict: {subject.skill}  nothing ran: {ended.stopped}"
            continue
        word = f"{SPOKEN[summary.word]}: {_label(subject)}"
        against = [
            text
            for contrast, name in ((Contrast.CHANGE, _MAIN), (Contrast.LIFT, ARM_WORDS[Arm.BASELINE]))
            if (text := difference_against(summary, contrast, name))
        ]
        yield f"{word}   {against[0]}" if against else word
        yield from (f"{'':<{len(word)}}   {line}" for line in against[1:])
        yield from arm_lines(summary, _MAIN)
        yield f"because {plain(summary.because, 200)}"
        if summary.population_because:
            yield f"On {_these(len(summary.cases))}; {plain(summary.population_because, 200)}."
    wanted = {trial.digest for trial in plan.trials}
    reused = sum(
        trial.usage.usd_micros or 0 for digest, trial in done.items() if digest in wanted and not trial.missing
    )
    spent = f"{_money(plan, max(0, ended.paid_micros - before_micros))} spent" if _priced(plan) else "price unknown"
    saved = f", {_money(plan, reused)} saved" if reused else ""
    stopped = f" · stopped: {plain(ended.stopped, 120)}" if ended.stopped else ""
    yield f"{spent}{saved} · look {ended.look} of {len(plan.design.looks)}{stopped} · open {output}/report.html"


def _priced(plan: TrialPlan) -> bool:
    return all(contender.price is not None for contender in plan.contenders)


def _money(plan: TrialPlan, micros: int) -> str:
    """Never an amount that nobody knows."""
    return dollars(micros) if _priced(plan) else "price unknown"


def _these(cases: int) -> str:
    return "this 1 case" if cases == 1 else f"these {cases} cases"


def command(paths: Sequence[Path], options: Mapping[str, Sequence[str]], *more: str) -> str:
    """The command with the same plan: what decides the plan must be said again."""
    words = [str(path) for path in paths]
    for name, values in options.items():
        words += [word for value in values for word in (name, value)]
    return f"aces-ci live {shlex.join([*words, *more])}"


def resume_line(paths: Sequence[Path], options: Mapping[str, Sequence[str]]) -> str:
    """How to go on with the same plan."""
    return f"resume: {command(paths, options, '--resume')}"


def _label(subject: Subject) -> str:
    return plain(subject.skill.rsplit("/", 1)[-1], 60)


def _against(summary: LiveSummary) -> str:
    change, lift = (difference_of(summary, contrast) for contrast in (Contrast.CHANGE, Contrast.LIFT))
    if change:
        return f"against {_MAIN} {change}"
    return f"against {ARM_WORDS[Arm.BASELINE]} {lift}" if lift else plain(summary.because, 100)


def _outcomes(trials: Sequence[Trial], scores: Sequence[Score]) -> dict[str, float | None]:
    """By digest, of the arm with the skill alone and of the deciding side."""
    own = {trial.digest for trial in trials if trial.arm is Arm.WITH_SKILL and trial.side == "base"}
    return {score.trial: score.value for score in scores if score.trial in own and score.metric == OUTCOME}
