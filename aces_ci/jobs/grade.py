"""`aces-ci grade` from the command line to its document: the case, the staging, the scores of one trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from aces_ci.core.suites import case_file, eval_text
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.siblings import Siblings
from aces_ci.core.trace.file import read
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Ending, Flag, Trial
from aces_ci.core.wire import to_line
from aces_ci.policy import from_worktree
from aces_ci.ports.dialect import Document
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


def run(wanted: Wanted, *, env: Mapping[str, str], out: Callable[[str], None]) -> int:
    """Grade and print; the exit code is 0, whatever the scores.

    Raises:
        UsageError: trace or case cannot be read, or a judge was asked for and there is none.
    """
    data = bytes_of(wanted.trace)
    trajectory = read(data, source=str(wanted.trace))
    case = case_in(wanted.case_file, wanted.case_id, wanted.skill)
    trial = trial_of(trajectory, case, wanted, data)
    settings = _settings(wanted, env) if wanted.judge else None
    asker = _asker(wanted, settings, env) if settings else None
    known = cast_of(trial, case)
    cast = Cast(
        target=tuple(dict.fromkeys([*([wanted.skill] if wanted.skill else []), *known.target])),
        support=wanted.support,
        decoys=wanted.decoys,
        preloaded=wanted.preloaded,
    )
    files = _workspace(wanted.workspace) if wanted.workspace else None
    metrics = _metrics(wanted.metrics)
    subject = subject_of(trial, trajectory, case, files, cast)
    with closing(asker) if asker else nullcontext():
        found = _goal(settings, env, subject, metrics, asker.purse) if settings and asker else Round()
        scores = noted(scored(subject, metrics, asker, found.known.get(trial.digest)), found.fallback)
    if wanted.evidence:
        with wanted.evidence.open("a", encoding="ascii") as sink:
            sink.writelines(f"{to_line(score)}\n" for score in scores)
    out(json.dumps(document(trial, scores)) if wanted.as_json else "\n".join(rows(scores)))
    return 0


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
        skill=wanted.skill or case.expected_skill or ".",
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


def case_in(path: Path, wanted: str | None, skill: str | None) -> Case:
    """One case of a file: our own shape, or any dialect that has a reader.

    Raises:
        UsageError: it cannot be read, or does not name exactly one case.
    """
    parsed = eval_text.parse(path.name, bytes_of(path))
    if parsed.fault is not None:
        fault = parsed.fault
        raise UsageError(
            f"{path} cannot be read", code="case", path=str(path), line=fault.line, why=fault.message, do=fault.hint
        )
    cases = _canonical(parsed.data, path) or _by_dialect(parsed.data, parsed.text, path, skill)
    chosen = [case for case in cases if wanted in {None, case.id}]
    if len(chosen) == 1:
        return chosen[0]
    ids = ", ".join(case.id for case in cases[:20]) or "none"
    raise UsageError(
        f"{path} does not name one case",
        code="case",
        path=str(path),
        why=f"it holds: {ids}",
        do="choose with --case-id",
    )


def _canonical(data: object, path: Path) -> list[Case]:
    listed: list[Any] = data if isinstance(data, list) else [data]
    return [case_file.read(entry, source=str(path)) for entry in listed if case_file.claims(entry)]


def _by_dialect(data: object, text: str, path: Path, skill: str | None) -> list[Case]:
    root = path.resolve().parent
    root = root.parent if root.name in {"evals", "eval", "tests"} else root
    name = path.resolve().relative_to(root).as_posix()
    document = Document(path=name, data=data, text=text, siblings=Siblings(_Below(root)), skill_name=skill or root.name)
    dialect = next((dialect for dialect in compose.dialects() if dialect.claims(document)), None)
    if dialect is None:
        return []
    reading = dialect.read(document)
    if not reading.cases and reading.errors:
        first = reading.errors[0]
        raise UsageError(
            f"{path} holds no case that can be read",
            code="case",
            path=str(path),
            line=first.line,
            at=first.pointer,
            why=first.message,
            do=first.hint,
        )
    return list(reading.cases)


class _Below(Mapping[str, bytes]):
    """The files below a folder by relative path, each read when a dialect asks for it."""

    def __init__(self, root: Path) -> None:
        self._files = {
            file.relative_to(root).as_posix(): file
            for file in sorted(root.rglob("*"))
            if file.is_file() and not file.is_symlink() and ".git" not in file.parts
        }

    def __getitem__(self, path: str) -> bytes:
        return bytes_of(self._files[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files


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


def _workspace(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def bytes_of(path: Path) -> bytes:
    """A file's bytes. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot read {path}", code="file", path=str(path), why=why, do="check the path") from None
