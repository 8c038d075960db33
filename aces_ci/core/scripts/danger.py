"""Dangerous shapes among the commands of a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from aces_ci.core.scripts import destructive, exfiltration, remote_code, safeguards
from aces_ci.core.scripts.command import Command
from aces_ci.core.scripts.commands import parse
from aces_ci.core.scripts.hazard import Hazard
from aces_ci.core.scripts.scene import Scene, Suspicion

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
    scene = Scene(commands, workspaces)
    found: list[Hazard] = []
    seen: set[tuple[int, str]] = set()
    for command in commands:
        for detector in _DETECTORS:
            for suspicion in detector(scene, command):
                key = (command.index, suspicion.shape)
                if key not in seen:
                    seen.add(key)
                    found.append(_hazard(command, suspicion))
    return tuple(found)


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
        command=command.index,
        line=command.line,
        column=command.column,
        end_line=command.end_line,
        end_column=command.end_column,
        source=command.source,
    )
