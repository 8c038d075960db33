"""Scores of a run's trials: the metrics', and those of the author's grader where the deciding side asks for one."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.grading.cast import Cast
from aces_ci.core.grading.grader import METHOD, Grader, grader_of
from aces_ci.core.grading.grader_reply import Reply
from aces_ci.core.grading.subject import Subject
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Subject as Evaluated
from aces_ci.core.plan import TrialPlan, staged_lineup
from aces_ci.core.score import Score
from aces_ci.core.skill import Skill
from aces_ci.core.staging import Injection
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.run_policy import Grading
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Ending, Trial
from aces_ci.ports.metric import Metric
from aces_ci.ports.sandbox import MIB, ImageRequest, Program, Sandbox, SandboxLost, Session
from aces_ci.ports.sink import Sink
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.tiers import custom
from aces_ci.tiers.compare import stop_reason
from aces_ci.tiers.grade import grade, subject_of
from aces_ci.tiers.judge_trace import Ask
from aces_ci.tiers.suite_policy import policy_of

FILE_LIMIT = 64 * MIB


def grader_for(skill: Skill, *, trust: Trust = Trust.OWN) -> Grader | None:
    """The grader that a side's own `evals/config.yml` asks for; never one that a fork brings.

    Raises:
        UsageError: the policy asks for one, and there is none.
    """
    found = None if trust is Trust.FORK else policy_of(skill.files)
    return grader_of(skill, found.policy.grading) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRoom:
    """Where graders run: sandboxes of their own, behind a gateway that is none, so that nothing is in reach."""

    sandbox: Sandbox
    image: str

    @classmethod
    def of(cls, plan: TrialPlan, sandbox: Sandbox, env: Mapping[str, str]) -> GraderRoom | None:
        """With its image, built before money is spent; None where no skill brings a grader. Raises UsageError."""
        if not any(item.grader for item in plan.subjects):
            return None
        base = env.get("ACES_SANDBOX_BASE") or None
        return cls(sandbox=sandbox, image=sandbox.image(ImageRequest(recipe=custom.RECIPE, base=base)))

    @contextmanager
    def opened(self) -> Iterator[Session]:
        """One slot. Raises UsageError or SandboxLost."""
        # It listens to nobody and ends with its input.
        idle = Program(image=self.image, command=("cat",))
        run = f"graders-{secrets.token_hex(4)}"
        with self.sandbox.open(run=run, slots=1, program=idle, limits=custom.LIMITS) as session:
            yield session

    def ask(self, subject: Subject, grader: Grader) -> Reply:
        """One grader, one trial. A sandbox that fails is an error in the reply."""
        try:
            with self.opened() as session:
                return custom.ask(subject, grader, session, slot=0, image=self.image, stop=threading.Event())
        except (UsageError, SandboxLost) as error:
            return Reply(error=f"the grader's sandbox failed: {error}")


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
    ) -> None:
        self._plan, self._settings, self._metrics, self._ask = plan, settings, metrics, ask
        self._folder, self._sink, self._room = folder, sink, room
        self.trials: dict[str, Trial] = {}
        self.scores: dict[str, list[Score]] = {}

    def known(self, trials: Iterable[Trial], scores: Iterable[Score]) -> None:
        """What an earlier run left.

        Raises:
            UsageError: another grader scored it, or none did: one comparison has one method.
        """
        self.trials.update({trial.digest: trial for trial in trials})
        for score in scores:
            self.scores.setdefault(score.trial, []).append(score)
        for planned in self._plan.trials:
            trial, rows = self.trials.get(planned.digest), self.scores.get(planned.digest)
            grader = self._evaluated(planned.skill, planned.side).grader
            found = {row.method for row in rows or () if row.method.startswith(METHOD)}
            if rows and trial and _readable(trial) and found != ({grader.method} if grader else set()):
                raise UsageError(
                    f"the grader of {planned.skill} changed since these runs were scored",
                    code="grader_changed",
                    why="scores of two graders would be compared as if they were one's",
                    do="choose another --output",
                )

    def decided(self, look: int) -> str | None:
        """Grade what is new; why no further look is needed, or None."""
        for planned in self._plan.trials:
            trial = self.trials.get(planned.digest)
            if trial is not None and planned.stage <= look and trial.digest not in self.scores:
                evaluated = self._evaluated(planned.skill, planned.side)
                self._grade(trial, self._plan.case(planned), self._cast(evaluated), evaluated.grader)
        return stop_reason(list(self.trials.values()), self.all_scores, self._settings)

    @property
    def all_scores(self) -> list[Score]:
        """Every score."""
        return [score for rows in self.scores.values() for score in rows]

    def _grade(self, trial: Trial, case: Case, cast: Cast, grader: Grader | None) -> None:
        data = self._folder.read(trial.trajectory, limit=trace_file.BYTES_LIMIT) if trial.trajectory else None
        if data is None:
            because = trial.because or "no turn of a model was delivered"
            rows = [Score(trial=trial.digest, metric=item.name, value=None, because=because) for item in self._metrics]
        else:
            trajectory = trace_file.read(data, source=str(trial.trajectory))
            files = _workspace(self._folder.path / "trials" / trial.digest / "workspace")
            theirs = grader if _readable(trial) and self._room is not None else None
            alone = theirs is not None and theirs.mode is Grading.CUSTOM_ONLY
            metrics = () if alone else self._metrics
            rows = list(grade(trial, trajectory, case, files, metrics, self._ask, cast=cast))
            if theirs is not None and self._room is not None:
                subject = subject_of(trial, trajectory, case, files, cast)
                rows = list(custom.combined(rows, self._room.ask(subject, theirs), subject, theirs))
        self.scores[trial.digest] = rows
        for row in rows:
            self._sink.add(row)

    def _evaluated(self, skill: str, side: str) -> Evaluated:
        return next(item for item in self._plan.subjects if (item.skill, item.side) == (skill, side))

    def _cast(self, subject: Evaluated) -> Cast:
        lineup = staged_lineup(subject.lineup, self._plan.design)
        names = [name for item in lineup.target for name in (item.directory, item.name) if name]
        scripts = [path for item in lineup.target for path in item.files if path.startswith("scripts/")]
        return Cast(
            target=tuple(dict.fromkeys(names)),
            # Neighbours stand there to be told apart from the target; a case names those that may be used as well.
            decoys=tuple(item.label for item in lineup.support),
            scripts=tuple(scripts),
            preloaded=self._plan.design.injection is Injection.PRELOADED,
        )


def _workspace(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).as_posix()] = read_bounded(path, limit=FILE_LIMIT)
    return found


def _readable(trial: Trial) -> bool:
    """Whether there is something that a grader could read."""
    return trial.trajectory is not None and trial.ending is not Ending.INFRA_FAILED
