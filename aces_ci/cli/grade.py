"""`aces-ci grade`: the metrics of one trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aces_ci.cli.options import format_option

if TYPE_CHECKING:
    from aces_ci.core.case import Case
    from aces_ci.core.score import Score
    from aces_ci.core.trajectory import Trajectory
    from aces_ci.core.trial import Trial


@click.command("grade")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--case", "case_file", type=click.Path(path_type=Path), required=True, help="The case, or a dataset.")
@click.option("--case-id", metavar="ID", help="Which case, where the file holds several.")
@click.option("--skill", metavar="NAME", help="The target skill's name; else the case's expected skill.")
@click.option("--decoy", "decoys", multiple=True, metavar="NAME", help="A skill that was there to mislead. Repeatable.")
@click.option("--support", multiple=True, metavar="NAME", help="A neighbour that may be used. Repeatable.")
@click.option(
    "--arm", type=click.Choice(["with_skill", "previous", "baseline"]), default="with_skill", show_default=True
)
@click.option("--preloaded", is_flag=True, help="The skill's body stood in the context from the start.")
@click.option("--workspace", type=click.Path(path_type=Path, file_okay=False), help="Files the run left behind.")
@click.option("--evidence", type=click.Path(path_type=Path, dir_okay=False), help="Append the scores to this file.")
@format_option("text", "json")
def COMMAND(  # noqa: PLR0913 - one parameter an option
    trace: Path,
    case_file: Path,
    case_id: str | None,
    skill: str | None,
    decoys: tuple[str, ...],
    support: tuple[str, ...],
    arm: str,
    preloaded: bool,
    workspace: Path | None,
    evidence: Path | None,
    format_: str,
) -> None:
    """Score the trajectory TRACE (ATIF) against a case, without a model: what needs a judge says so.

    A trace that was read from a file is unverified: its scores inform, they decide nothing.
    """
    from aces_ci import compose
    from aces_ci.core.cast import Cast, cast_of
    from aces_ci.core.trace_file import read
    from aces_ci.core.wire import to_line
    from aces_ci.tiers.grade import grade

    trajectory = read(_bytes(trace), source=str(trace))
    case = _case(case_file, case_id)
    trial = _trial(trajectory, case, skill, arm, _bytes(trace))
    known = cast_of(trial, case)
    cast = Cast(
        target=tuple(dict.fromkeys([*([skill] if skill else []), *known.target])),
        support=support,
        decoys=decoys,
        preloaded=preloaded,
    )
    files = _workspace(workspace) if workspace else None
    scores = grade(trial, trajectory, case, files, compose.metrics(), None, cast=cast)
    if evidence:
        with evidence.open("a", encoding="utf-8") as sink:
            sink.writelines(f"{to_line(score)}\n" for score in scores)
    if format_ == "json":
        click.echo(json.dumps(document(trial, scores)))
    else:
        click.echo("\n".join(rows(scores)))


def document(trial: Trial, scores: tuple[Score, ...]) -> dict[str, Any]:
    """The JSON document of `grade --format json`."""
    from dataclasses import asdict

    from aces_ci.core.dimensions import dimensions

    return {
        "schema_version": 1,
        "trial": trial.digest,
        "arm": trial.arm.value,
        "flags": [flag.value for flag in trial.flags],
        "scores": [asdict(score) for score in scores],
        "dimensions": dict(dimensions(scores)),
    }


def rows(scores: tuple[Score, ...]) -> list[str]:
    """The text: one line a metric, its parts below it."""
    from aces_ci.shell.log import inert

    shown: list[str] = []
    for score in scores:
        value = "   -" if score.value is None else f"{score.value:4.2f}"
        steps = f" (step {', '.join(map(str, score.cites[:8]))})" if score.cites else ""
        shown.append(inert(f"{value}  {score.metric:<22} {score.because}{steps}"))
        if len(score.parts) > 1:
            shown += [inert(f"        {part.value:4.2f}  {part.name}: {part.because}") for part in score.parts]
    return shown


def _trial(trajectory: Trajectory, case: Case, skill: str | None, arm: str, data: bytes) -> Trial:
    import hashlib

    from aces_ci.core.trial import Arm, Ending, Flag, Trial

    verified = trajectory.aces.get("origin") == "gateway"
    return Trial(
        digest=hashlib.sha256(data).hexdigest(),
        skill=skill or case.expected_skill or ".",
        case=case.id,
        arm=Arm(arm),
        harness=trajectory.agent.name,
        model=trajectory.agent.model_name or "unknown",
        attempt=1,
        ending=Ending.FINISHED if trajectory.answer else Ending.AGENT_FAILED,
        because="" if trajectory.answer else "the trace ends without a final answer",
        harness_version=trajectory.agent.version,
        flags=() if verified else (Flag.UNVERIFIED,),
    )


def _case(path: Path, wanted: str | None) -> Case:
    from aces_ci.core import case_file
    from aces_ci.core.errors import UsageError

    try:
        parsed = json.loads(_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is not JSON", code="case", path=str(path), why=str(error), do="give a case as JSON"
        ) from None
    listed = parsed if isinstance(parsed, list) else [parsed]
    canonical = [entry for entry in listed if case_file.claims(entry)]
    cases = [case_file.read(entry, source=str(path)) for entry in canonical]
    chosen = [case for case in cases if wanted in {None, case.id}]
    if len(chosen) == 1:
        return chosen[0]
    ids = ", ".join(case.id for case in cases) or "none"
    raise UsageError(
        f"{path} does not name one case",
        code="case",
        path=str(path),
        why=f"it holds: {ids}",
        do="choose with --case-id",
    )


def _workspace(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def _bytes(path: Path) -> bytes:
    from aces_ci.core.errors import UsageError

    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot read {path}", code="file", path=str(path), why=why, do="check the path") from None
