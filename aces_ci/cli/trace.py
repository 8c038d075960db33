"""`aces-ci trace`: agents' logs to trajectories, and looking at those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aces_ci.cli.options import format_option, output_file_option

if TYPE_CHECKING:
    from aces_ci.core.trace.trajectory import Trajectory
    from aces_ci.ports.converter import Converter, Log

LOG_LIMIT = 256 * 1024 * 1024
"""Bytes of all files of a log folder together."""
_SHOWN = 400


@click.group("trace")
def COMMAND() -> None:
    """Agents' logs and trajectories (ATIF)."""


@COMMAND.command("convert")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--harness", metavar="NAME", help="Whose log it is; found by its shape where left out.")
@click.option("--prompt", help="The task, for logs that do not show it.")
@output_file_option
def convert(log: Path, harness: str | None, prompt: str | None, output_file: Path | None) -> None:
    """Turn an agent's LOG into ATIF 1.7.

    LOG is one file (the agent's output or its session file), or a folder with `stdout.jsonl` and session
    files. What it yields is an import: nobody can tell whether the log is true.
    """
    from aces_ci import compose
    from aces_ci.core.amount import plural
    from aces_ci.core.trace.file import write

    found = _log(log, prompt)
    converter = _converter(compose.converters(), found, harness, log)
    trajectory = converter.convert(found)
    if trajectory is None:
        raise _refusal(
            f"{log} holds no step of an agent",
            code="trace_empty",
            why=f"read as a log of {converter.name}; the run may have failed before its first reply",
            do="look into the log, or name another --harness",
        )
    data = write(trajectory)
    if output_file:
        output_file.write_bytes(data)
    else:
        click.echo(data.decode(), nl=False)
    for sentence in trajectory.aces.get("lost", ()):
        click.echo(f"note: lost: {sentence}", err=True)
    click.echo(
        f"note: {converter.name}: {plural(len(trajectory.steps), 'step')}, from its own log, unverified", err=True
    )


@COMMAND.command("validate")
@click.argument("file", type=click.Path(path_type=Path))
@format_option("text", "json")
@click.pass_context
def validate(ctx: click.Context, file: Path, format_: str) -> None:
    """Check that FILE is valid ATIF 1.0 to 1.8; every fault is told. Exit 1 where the public validator
    refuses it.
    """
    from aces_ci.core.amount import plural
    from aces_ci.core.trace.file import inspect
    from aces_ci.shell.log import inert

    reading = inspect(_bytes(file))
    if format_ == "json":
        faults = [
            {"pointer": fault.pointer, "message": fault.message, "error": fault.error} for fault in reading.faults
        ]
        version = reading.trajectory.schema_version if reading.trajectory else None
        document = {"schema_version": 1, "valid": reading.valid, "version": version, "faults": faults}
        click.echo(json.dumps(document))
    else:
        for fault in reading.faults:
            label = "error" if fault.error else "warning"
            click.echo(inert(f"{label} {fault.pointer or '/'}: {fault.message}"))
        found = reading.trajectory
        about = f"{found.schema_version}, {plural(len(found.steps), 'step')}" if found else "not readable"
        click.echo(inert(f"{file}: {'valid' if reading.valid else 'not valid'} ({about})"))
    ctx.exit(0 if reading.valid else 1)


@COMMAND.command("show")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Do not shorten messages and results.")
def show(file: Path, full: bool) -> None:
    """Print the steps of a trajectory, one block a step."""
    from aces_ci.core.trace.file import read
    from aces_ci.shell.log import inert

    trajectory = read(_bytes(file), source=str(file))
    for line in lines(trajectory, limit=None if full else _SHOWN):
        click.echo(inert(line))


def lines(trajectory: Trajectory, *, limit: int | None) -> list[str]:
    """The text of a trajectory: calls marked `>`, results `<`; `limit` characters of each text."""
    from aces_ci.core.trace.trajectory import text_of

    agent = trajectory.agent
    origin = trajectory.aces.get("origin", "imported")
    rows = [f"{agent.name} {agent.version} · {agent.model_name or 'unknown model'} · from {origin}"]
    for step in trajectory.steps:
        rows.append("")
        rows.append(f"{step.step_id} {step.source}{' · ' + step.timestamp if step.timestamp else ''}")
        rows += [f"  {row}" for row in _cut(step.text, limit)]
        results = {result.source_call_id: result for result in step.observation.results} if step.observation else {}
        for call in step.tool_calls or ():
            rows += [f"  > {row}" for row in _cut(f"{call.function_name} {json.dumps(call.arguments)}", limit)]
            result = results.get(call.tool_call_id)
            if result is None:
                rows.append("  < (no result)")
                continue
            code = (result.extra or {}).get("exit_code")
            rows += [f"  < {row}" for row in _cut(text_of(result.content), limit)]
            rows += [f"  < exit code {code}"] if code not in {None, 0} else []
    return rows


def _cut(text: str, limit: int | None) -> list[str]:
    shown = text if limit is None or len(text) <= limit else f"{text[:limit]} (+{len(text) - limit} characters)"
    return [row for row in shown.splitlines() if row.strip()]


def _log(path: Path, prompt: str | None) -> Log:
    from aces_ci.core.trace.sessions import STREAMS, sessions
    from aces_ci.ports.converter import Log

    if not path.is_dir():
        return Log(stdout=_bytes(path), prompt=prompt)
    files: dict[str, bytes] = {}
    left = LOG_LIMIT
    for file in sorted(path.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        left -= file.stat().st_size
        if left < 0:
            raise _refusal(
                f"{path} is too large to be a log", code="log_size", why=f"over {LOG_LIMIT} bytes", do="name one file"
            )
        files[file.relative_to(path).as_posix()] = file.read_bytes()
    several = sessions(files)
    if len(several) > 1:
        raise _refusal(
            f"{path} holds {len(several)} sessions, and a trajectory is one",
            code="sessions",
            why=f"there are {', '.join(several[:3])}{', …' if len(several) > 3 else ''}",
            do=f"convert one at a time: aces-ci trace convert {path / several[0]}",
        )
    stream = next((name for name in STREAMS if name in files), None)
    stdout = files.pop(stream) if stream else b""
    return Log(stdout=stdout, files=files, prompt=prompt)


def _converter(known: tuple[Converter, ...], log: Log, harness: str | None, path: Path) -> Converter:
    names = ", ".join(converter.name for converter in known)
    if harness:
        chosen = next((converter for converter in known if converter.name == harness), None)
        if chosen is None:
            raise _refusal(
                f"no converter is called {harness}", code="harness", why=f"there are: {names}", do="choose one of them"
            )
        return chosen
    claiming = [converter for converter in known if converter.claims(log)]
    if len(claiming) != 1:
        said = " and ".join(converter.name for converter in claiming) or "nobody"
        raise _refusal(
            f"cannot tell whose log {path} is",
            code="harness",
            why=f"{said} would read it",
            do=f"name it with --harness: {names}",
        )
    return claiming[0]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise _refusal(f"cannot read {path}", code="file", why=why, do="check the path") from None


def _refusal(message: str, *, code: str, why: str, do: str) -> Exception:
    from aces_ci.core.errors import UsageError

    return UsageError(message, code=code, why=why, do=do)
