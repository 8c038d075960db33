"""Scores of a run's trials: the metrics', and those of the author's grader where the deciding side asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.grading.cast import Cast
from aces_ci.core.grading.grader import METHOD, Grader, grader_of, verifier_of
from aces_ci.core.grading.grader_reply import Reply
from aces_ci.core.grading.judged import Settled
from aces_ci.core.grading.outcome_parts import CHECKS, GOAL
from aces_ci.core.grading.subject import Subject
from aces_ci.core.lift import OUTCOME
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import PlannedTrial, TrialPlan, staged_lineup
from aces_ci.core.plan import Subject as Evaluated
from aces_ci.core.score import Score
from aces_ci.core.skill import Skill
from aces_ci.core.staging import Injection
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.run_policy import Grading
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.ports.metric import Metric
from aces_ci.ports.sandbox import MIB
from aces_ci.ports.sink import Sink
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.tiers import custom
from aces_ci.tiers.decide import stop_reason
from aces_ci.tiers.goal import Settle, noted
from aces_ci.tiers.grade import lost, scored, subject_of
from aces_ci.tiers.grader_room import GraderRoom
from aces_ci.tiers.judge_trace import Ask
from aces_ci.tiers.suite_policy import policy_of

FILE_LIMIT = 64 * MIB
RESUMED = "earlier runs of this comparison were graded by two_step"
NOT_HERE = "the worker that graded earlier runs of this comparison is not installed here"


def grader_for(skill: Skill, mode: Grading, *, trust: Trust = Trust.OWN) -> Grader | None:
    """The grader that a side's own run policy asks for; never one that a fork brings.

    Raises:
        UsageError: the policy asks for one, and there is none.
    """
    return None if trust is Trust.FORK else grader_of(skill, mode)


def verifiers_for(skill: Skill, cases: Iterable[Case], mode: Grading, *, trust: Trust = Trust.OWN) -> dict[str, Grader]:
    """By case id: the verifiers of a side's native tasks; never those that a fork brings."""
    if trust is Trust.FORK:
        return {}
    found = {case.id: verifier_of(skill, case, mode) for case in cases}
    return {name: grader for name, grader in found.items() if grader is not None}


def mode_of(skill: Skill) -> Grading:
    """Who grades, as the skill's `evals/config.yml` has it."""
    found = policy_of(skill.files)
    return found.policy.grading if found else Grading.DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    """A trial that has ended and is not graded yet."""

    trial: Trial
    case: Case
    cast: Cast
    grader: Grader | None


class Grades:
    """Scores of the trials so far; answers the tier's question whether another look is needed."""

    def __init__(
        self,
        plan: TrialPlan,
        settings: LivePlan,
        metrics: Sequence[Metric],
        ask: Ask | None,
        folder: Folder,
        sink: Sink,
        room: GraderRoom | None = None,
        settle: Settle | None = None,
    ) -> None:
        self._plan, self._settings, self._metrics, self._ask = plan, settings, metrics, ask
        self._folder, self._sink, self._room, self._settle = folder, sink, room, settle
        self._fallback = ""
        self.trials: dict[str, Trial] = {}
        self.scores: dict[str, list[Score]] = {}

    def known(self, trials: Iterable[Trial], scores: Iterable[Score]) -> None:
        """What an earlier run left.

        Raises:
            UsageError: another grader scored it, or none did: one comparison has one method.
        """
        wanted = {planned.digest for planned in self._plan.trials}
        self.trials.update({trial.digest: trial for trial in trials if trial.digest in wanted})
        for score in scores:
            if score.trial in self.trials:
                self.scores.setdefault(score.trial, []).append(score)
        for planned in self._plan.trials:
            grader = self._plan.subject(planned).grader_of(planned.case)
            trial, rows = self.trials.get(planned.digest), self.scores.get(planned.digest)
            if rows and all(row.metric != self._last(grader) for row in rows):
                # Killed while it was graded. What a model answered is kept elsewhere and is not paid for again.
                del self.scores[planned.digest]
                continue
            found = {row.method for row in rows or () if row.method.startswith(METHOD)}
            if rows and trial and _readable(trial) and found != ({grader.method} if grader else set()):
                raise UsageError(
                    f"the grader of {planned.skill} changed since these runs were scored",
                    code="grader_changed",
                    why="scores of two graders would be compared as if they were one's",
                    do="choose another --output",
                )

    def decided(self, look: int, stopped: Callable[[], bool] = lambda: False) -> str | None:
        """Grade what is new; why no further look is needed, or None.

        Once `stopped` no further trial is graded: a start that goes on does it.
        """
        due = [
            self._due(planned, trial)
            for planned in self._plan.trials
            if (trial := self.trials.get(planned.digest)) is not None
            and planned.stage <= look
            and trial.digest not in self.scores
        ]
        known = self._goals(due)
        waiting: dict[str, list[Score]] = {}
        asked = self._standard(takewhile(lambda item: not stopped(), due), known, waiting)
        for subject, grader, reply in self._room.answers(asked) if self._room is not None else _none(asked):
            rows = waiting.pop(subject.trial.digest)
            self._write(subject.trial, custom.combined(rows, reply, subject, grader), grader)
        if stopped():
            return None
        self._even_out()
        return stop_reason(list(self.trials.values()), self.all_scores, self._settings)

    def foretold(self, planned: PlannedTrial) -> dict[str, float | None]:
        """The outcome of a run before its look, by its digest; empty where only the look can tell.

        Of the arm with the skill alone: who sees two arms before a look stops early. Nothing is asked and nothing
        written down: money that a judge takes between looks would be missing to the agents that still run.
        """
        trial = self.trials[planned.digest]
        if planned.arm is not Arm.WITH_SKILL or not _readable(trial):
            return {}
        item = self._due(planned, trial)
        subject = self._subject(item) if item.grader is None else None
        metric = next((each for each in self._metrics if each.name == OUTCOME), None)
        if subject is None or metric is None or (self._ask is not None and metric.questions(subject, {})):
            return {}
        return {trial.digest: metric.score(subject, None if self._ask is None else {}).value}

    @property
    def all_scores(self) -> list[Score]:
        """Every score."""
        return [score for rows in self.scores.values() for score in rows]

    def _due(self, planned: PlannedTrial, trial: Trial) -> _Due:
        evaluated = self._plan.subject(planned)
        grader = evaluated.grader_of(planned.case) if _readable(trial) and self._room is not None else None
        return _Due(trial=trial, case=self._plan.case(planned), cast=self._cast(evaluated, planned), grader=grader)

    def _standard(
        self, due: Iterable[_Due], known: Mapping[str, Mapping[str, Settled]], waiting: dict[str, list[Score]]
    ) -> Iterator[tuple[Subject, Grader]]:
        """Scores by the metrics: written down, or `waiting` for the grader that is handed on."""
        for item in due:
            trial, subject = item.trial, self._subject(item)
            if subject is None:
                because = trial.because or "no turn of a model was delivered"
                rows = [
                    Score(trial=trial.digest, metric=each.name, value=None, because=because) for each in self._metrics
                ]
            elif trial.ending is Ending.INFRA_FAILED:
                rows = list(lost(trial, self._metrics))
            else:
                metrics = () if _alone(item.grader) else self._metrics
                rows = list(noted(scored(subject, metrics, self._ask, known.get(trial.digest)), self._fallback))
                if item.grader is not None:
                    waiting[trial.digest] = rows
                    yield subject, item.grader
                    continue
            self._write(trial, rows, item.grader)

    def _subject(self, item: _Due) -> Subject | None:
        trial = item.trial
        data = self._folder.read(trial.trajectory, limit=trace_file.BYTES_LIMIT) if trial.trajectory else None
        if data is None:
            return None
        trajectory = trace_file.read(data, source=str(trial.trajectory))
        files = _workspace(self._folder.path / "trials" / trial.digest / "workspace")
        return subject_of(trial, trajectory, item.case, files, item.cast)

    def _write(self, trial: Trial, rows: Sequence[Score], grader: Grader | None) -> None:
        self.scores[trial.digest] = list(rows)
        for row in sorted(rows, key=lambda row: row.metric == self._last(grader)):
            self._sink.add(row)

    def _goals(self, due: Sequence[_Due]) -> Mapping[str, Mapping[str, Settled]]:
        """What the goal worker says of the trials that are due; nothing once it has failed in this run."""
        if self._settle is None or self._ask is None or self._fallback or not due:
            return {}
        if any(row.fallback or not _by_worker(row) for row in self._goal_rows()):
            self._fallback = next((row.fallback for row in self._goal_rows() if row.fallback), RESUMED)
            return {}
        readable = (item for item in due if _readable(item.trial) and not _alone(item.grader))
        found = self._settle(subject for item in readable if (subject := self._subject(item)) is not None)
        self._fallback = found.fallback
        return found.known

    def _even_out(self) -> None:
        """Where two methods graded one run, the worker's grades give way: every arm by the same one."""
        rows = list(self._goal_rows())
        theirs = {row.trial for row in rows if _by_worker(row)}
        if len(theirs) == len(rows) and not self._fallback:
            return
        self._fallback = self._fallback or (NOT_HERE if theirs else "")
        metrics = [metric for metric in self._metrics if metric.name in {GOAL, OUTCOME}]
        for planned in self._plan.trials:
            if planned.digest in theirs and self._ask is not None:
                item = self._due(planned, self.trials[planned.digest])
                subject = self._subject(item)
                if subject is not None:
                    again = noted(scored(subject, metrics, self._ask), self._fallback)
                    self.scores[planned.digest] += again
                    for row in again:
                        self._sink.add(row)

    def _goal_rows(self) -> Iterator[Score]:
        """The last grade of each trial that has one."""
        for rows in self.scores.values():
            found = [row for row in rows if row.metric == GOAL and row.value is not None]
            yield from found[-1:]

    def _last(self, grader: Grader | None) -> str:
        """The metric whose line is written last: where it is, all scores of the trial are."""
        return CHECKS if _alone(grader) else self._metrics[0].name

    def _cast(self, subject: Evaluated, planned: PlannedTrial) -> Cast:
        lineup = staged_lineup(subject.lineup, planned.mode)
        names = [name for item in lineup.target for name in (item.directory, item.name) if name]
        scripts = [path for item in lineup.target for path in item.files if path.startswith("scripts/")]
        return Cast(
            target=tuple(dict.fromkeys(names)),
            # Neighbours stand there to be told apart from the target; a case names those that may be used as well.
            decoys=tuple(item.label for item in lineup.support),
            scripts=tuple(scripts),
            texts=dict(_texts(lineup.of(planned.arm))),
            preloaded=self._plan.design.injection is Injection.PRELOADED,
        )


def _texts(skills: Iterable[Skill]) -> Iterator[tuple[str, str]]:
    """Each SKILL.md that an agent found by the names that its skill goes by."""
    for skill in skills:
        manifest = skill.files.get("SKILL.md")
        if manifest is not None and manifest.text:
            yield from ((name.casefold(), manifest.text) for name in (skill.directory, skill.name) if name)


def _none(asked: Iterable[tuple[Subject, Grader]]) -> Iterator[tuple[Subject, Grader, Reply]]:
    """Without a room there is no grader to ask; the metrics grade all the same."""
    for subject, grader in asked:
        yield subject, grader, Reply(error="there is no sandbox for graders")


def _by_worker(row: Score) -> bool:
    return row.method.rpartition("/")[2].startswith("ragas")


def _alone(grader: Grader | None) -> bool:
    return grader is not None and grader.mode is Grading.CUSTOM_ONLY


def _workspace(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).as_posix()] = read_bounded(path, limit=FILE_LIMIT)
    return found


def _readable(trial: Trial) -> bool:
    """Whether there is something that a grader could read."""
    return trial.trajectory is not None and trial.ending is not Ending.INFRA_FAILED
