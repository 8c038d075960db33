"""Dangerous shapes among the commands of a script."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from aces_ci.core.scripts.detectors import (
    destructive,
    exfiltration,
    javascript_danger,
    python_danger,
    remote_code,
    safeguards,
)
from aces_ci.core.scripts.detectors.planted import planted
from aces_ci.core.scripts.detectors.triggers import started
from aces_ci.core.scripts.files.touch import How
from aces_ci.core.scripts.flow.following import follow
from aces_ci.core.scripts.flow.running import written_and_run
from aces_ci.core.scripts.hazards.hazard import Hazard
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.programs.program import handed_to
from aces_ci.core.scripts.programs.python_calls import shell_calls
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.commands import parse

MAX_DEPTH = 4
"""Programs in programs that are followed."""

_DETECTORS: Sequence[Callable[[Scene, Command], Iterator[Suspicion]]] = (
    destructive.find,
    remote_code.find,
    exfiltration.find,
    safeguards.find,
)


def classify(commands: Sequence[Command], workspaces: Sequence[str] = ()) -> tuple[Hazard, ...]:
    """Every hazard of the commands of *one* parsed script, in their order.

    `workspaces` are absolute POSIX folders in which deleting is nobody's business but the author's; relative
    paths that do not climb out, and the machine's temporary folders, always count as such. Severity is that
    of running the command as it is written.
    """
    return _classify(tuple(commands), tuple(workspaces), 0)


def _classify(commands: Sequence[Command], workspaces: Sequence[str], depth: int) -> tuple[Hazard, ...]:
    scene = Scene(commands, workspaces, follow)
    found: dict[tuple[int, str], Hazard] = {}
    for command in commands:
        for detector in _DETECTORS:
            for suspicion in detector(scene, command):
                found.setdefault((command.index, suspicion.shape), _hazard(command, suspicion))
        if depth < MAX_DEPTH:
            for hazard in _further(scene, command, depth):
                found.setdefault((command.index, hazard.shape), _at(command, hazard))
    return tuple(found.values())


def _further(scene: Scene, command: Command, depth: int) -> Iterator[Hazard]:
    yield from _handed(scene, command, depth)
    yield from _planted(scene, command, depth)
    yield from _own(scene, command, depth)


def _handed(scene: Scene, command: Command, depth: int) -> Iterator[Hazard]:
    """Hazards of the programs in other languages that a command is handed."""
    for program in handed_to(command, scene.commands):
        if program.python:
            yield from python_danger.scan(program.text)
        else:
            yield from javascript_danger.scan(program.text)
        for touch in program.touches:
            if touch.how is How.DELETE and (touch.deep or "*" in touch.path):
                yield from _classify(
                    parse(f"rm -rf -- {shlex.quote(touch.path)}", command.folder), scene.workspaces, MAX_DEPTH
                )
        for script in program.scripts:
            yield from _classify(parse(script, command.folder), scene.workspaces, depth + 1)


def _planted(scene: Scene, command: Command, depth: int) -> Iterator[Hazard]:
    """Hazards of what a command leaves to be run later: they are no smaller for coming later."""
    for script in (*planted(scene, command), *started(command)):
        yield from _classify(parse(script), scene.workspaces, depth + 1)


def _own(scene: Scene, command: Command, depth: int) -> Iterator[Hazard]:
    """Hazards of a program that the script has written out before it runs it here."""
    for text in written_and_run(scene, command):
        if (command.name or "").startswith("python"):
            yield from python_danger.scan(text)
            for words, _, _ in shell_calls(text):
                script = words if isinstance(words, str) else shlex.join(words)
                yield from _classify(parse(script, command.folder), scene.workspaces, depth + 1)
        else:
            yield from _classify(parse(text, command.folder), scene.workspaces, depth + 1)


def _at(command: Command, hazard: Hazard) -> Hazard:
    """The hazard of what a command is handed, at the place of the command."""
    return replace(
        hazard, command=command.index, line=command.line, column=command.column, end_line=command.end_line,
        end_column=command.end_column, source=command.source,
    )  # fmt: skip


@lru_cache(maxsize=2048)
def scan(script: str, workspaces: tuple[str, ...] = ()) -> tuple[Hazard, ...]:
    """`classify` of a script's text; remembered, for several rules ask about one text."""
    return classify(parse(script), workspaces)


def _hazard(command: Command, suspicion: Suspicion) -> Hazard:
    return Hazard(
        kind=suspicion.kind,
        shape=suspicion.shape,
        severity=suspicion.severity,
        confidence=suspicion.confidence,
        message=suspicion.message,
        target=suspicion.target,
        doubt=suspicion.doubt,
        command=command.index,
        line=command.line,
        column=command.column,
        end_line=command.end_line,
        end_column=command.end_column,
        source=command.source,
    )
