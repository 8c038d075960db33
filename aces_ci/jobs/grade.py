"""`aces-ci grade` from the command line to its document: the case, the staging, the scores of one trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aces_ci import agent_images, compose, goal_method
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.grading.cast import Cast, cast_of
from aces_ci.core.grading.dimensions import dimensions
from aces_ci.core.grading.outcome_parts import GOAL
from aces_ci.core.grading.subject import Subject
from aces_ci.core.inert import plain
from aces_ci.core.lift import OUTCOME
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Case
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Ending, Flag, Trial
from aces_ci.core.wire import to_line
from aces_ci.jobs.grade_inputs import Target, appendable, case_in, files_in, skill_in, trace_in
from aces_ci.policy import from_worktree
from aces_ci.ports.metric import Metric
from aces_ci.settings.inputs import inputs_of, secrets_of
from aces_ci.settings.load import load
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.choose_judge import NoJudge
from aces_ci.tiers.goal import Round, noted
from aces_ci.tiers.grade import scored, subject_of
from aces_ci.tiers.purse import Purse


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line said."""

    trace: Path
    case_file: Path
    case_id: str | None = None
    skill: str | None = None
    """Its name, or its folder."""
    decoys: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    arm: str = "with_skill"
    preloaded: bool = False
    workspace: Path | None = None
    evidence: Path | None = None
    metrics: tuple[str, ...] = ()
    """Names of the metrics to score; empty for all."""
    judge: bool = False
    output: Path = Path("aces-results")
    repo: Path = Path()
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    as_json: bool = False

    @property
    def skill_name(self) -> str | None:
        """The name of the skill that was asked about."""
        return Path(self.skill).resolve().name if self.skill else None


def run(wanted: Wanted, *, env: Mapping[str, str], out: Callable[[str], None]) -> int:
    """Grade and print; the exit code is 0, whatever the scores.

    Raises:
        UsageError: trace or case cannot be read, or a judge was asked for and there is none.
    """
    data, trajectory = trace_in(wanted.trace)
    target = skill_in(wanted.skill, wanted.case_file)
    case = case_in(wanted.case_file, wanted.case_id, target.name)
    trial = trial_of(trajectory, case, wanted, data)
    files = files_in(wanted.workspace) if wanted.workspace else None
    metrics = _metrics(wanted.metrics)
    if wanted.evidence:
        appendable(wanted.evidence)
    settings = _settings(wanted, env) if wanted.judge else None
    asker = _asker(wanted, settings, env) if settings else None
    cast = cast_in(wanted, trial, case, target)
    subject = subject_of(trial, trajectory, case, files, cast)
    with closing(asker) if asker else nullcontext():
        found = _goal(settings, env, subject, metrics, asker.purse) if settings and asker else Round()
        scores = noted(scored(subject, metrics, asker, found.known.get(trial.digest)), found.fallback)
    if wanted.evidence:
        with wanted.evidence.open("a", encoding="ascii") as sink:
            sink.writelines(f"{to_line(score)}\n" for score in scores)
    out(json.dumps(document(trial, scores)) if wanted.as_json else "\n".join(rows(scores)))
    return 0


def cast_in(wanted: Wanted, trial: Trial, case: Case, target: Target) -> Cast:
    """The staging as the command line tells it. A skill that only lies beside the case counts where it is meant."""
    meant = bool(wanted.skill) or case.expected_skill in {None, *target.names}
    return Cast(
        target=target.names if target.names and meant else cast_of(trial, case).target,
        support=wanted.support,
        decoys=wanted.decoys,
        preloaded=wanted.preloaded,
        texts=target.texts if meant else {},
    )


def _goal(
    settings: Settings, env: Mapping[str, str], subject: Subject, metrics: Sequence[Metric], purse: Purse
) -> Round:
    """What the goal worker says, where it is to be asked; a failure is told, and `two_step` grades."""
    if not {metric.name for metric in metrics} & {GOAL, OUTCOME}:
        return Round()
    sandbox, gateway = compose.sandbox(settings.live.sandbox.backend), agent_images.program_of(env)
    room = goal_method.goal_room(settings, env, sandbox, gateway, compose.goal_worker(), compose.providers(), purse)
    return room.settle([subject]) if room else Round()


def _metrics(names: tuple[str, ...]) -> tuple[Metric, ...]:
    every = compose.metrics()
    unknown = sorted(set(names) - {metric.name for metric in every})
    if unknown:
        raise UsageError(
            f"no metric is called {plain(unknown[0], 80)}",
            code="metric",
            why=f"there are: {', '.join(metric.name for metric in every)}",
            do="choose one of them",
        )
    return tuple(metric for metric in every if not names or metric.name in names)


def document(trial: Trial, scores: Sequence[Score]) -> dict[str, Any]:
    """The document of `grade --format json`."""
    return {
        "schema_version": 1,
        "trial": trial.digest,
        "arm": trial.arm.value,
        "flags": [flag.value for flag in trial.flags],
        "scores": [asdict(score) for score in scores],
        "dimensions": dict(dimensions(scores)),
    }


def rows(scores: Sequence[Score]) -> list[str]:
    """The text: one line a metric, its parts below it."""
    shown: list[str] = []
    for score in scores:
        value = "   -" if score.value is None else f"{score.value:4.2f}"
        steps = f" (step {', '.join(map(str, score.cites[:8]))})" if score.cites else ""
        shown.append(f"{value}  {score.metric:<22} {plain(score.because, 300)}{steps}")
        if score.fallback:
            shown.append(f"      {plain(f'by another method, because {score.fallback}', 300)}")
        if len(score.parts) > 1:
            shown += [
                f"        {part.value:4.2f}  {plain(f'{part.name}: {part.because}', 300)}" for part in score.parts
            ]
    return shown


def trial_of(trajectory: Trajectory, case: Case, wanted: Wanted, data: bytes) -> Trial:
    """A trial for a trace that came as a file: nobody can tell whether it is true, so it is *unverified*."""
    return Trial(
        digest=hashlib.sha256(data).hexdigest(),
        skill=wanted.skill_name or case.expected_skill or ".",
        case=case.id,
        arm=Arm(wanted.arm),
        harness=trajectory.agent.name,
        model=trajectory.agent.model_name or "unknown",
        attempt=1,
        ending=Ending.FINISHED if trajectory.answer else Ending.AGENT_FAILED,
        because="" if trajectory.answer else "the trace ends without a final answer",
        harness_version=trajectory.agent.version,
        flags=(Flag.UNVERIFIED,),
    )


def _settings(wanted: Wanted, env: Mapping[str, str]) -> Settings:
    return load(
        policy=from_worktree(wanted.repo, wanted.config),
        policy_origin="(working tree)",
        env=env,
        inputs=inputs_of(env, settings_only=True),
        overrides=wanted.overrides,
    ).settings


def _asker(wanted: Wanted, settings: Settings, env: Mapping[str, str]) -> Asker:
    folder = Folder.at(wanted.output, cwd=Path.cwd(), redact=Redactor(secrets_of(env)).redact)
    asker = compose.bench(env, folder).asker(settings, Trust.OWN)
    if isinstance(asker, NoJudge):
        raise UsageError(f"nobody can judge: {asker.because}", code=asker.code, do=asker.do)
    return asker
