"""What the variables and files of a script hold, followed from its first command to its last."""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.scripts.flow.output import piped, spelled, substituted, told
from aces_ci.core.scripts.flow.private_files import carries, stored
from aces_ci.core.scripts.flow.written import packed, written
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.downloads import fetches, saved
from aces_ci.core.scripts.hazards.holdings import NOTHING, Content, Held, Holdings
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.scripts.shell.folders import below

_FILLED = frozenset({"read", "mapfile", "readarray"})
"""Builtins that put what they read into variables."""
_PLACERS = frozenset({"cp", "mv", "install", "ln", "rsync", "scp"})
_UNSURE = frozenset({Within.BRANCH, Within.FUNCTION})
"""Where it is not sure that a variable is set anew, so that what it held may still be there."""


def follow(scene: Scene) -> Iterator[Holdings]:
    """What is held before each command of a script, in their order."""
    now = NOTHING
    for command in scene.commands:
        yield now
        now = _files(scene, command, _variables(scene, command, now))


def _variables(scene: Scene, command: Command, now: Holdings) -> Holdings:
    for name, word in command.assignments:
        held = list(now.used(word.shape)) if word.text is None else []
        if "$(" in word.shape or "`" in word.shape:
            held.extend(substituted(scene, command))
        if held or not command.within & _UNSURE:
            now = now.naming(name, held)
    if command.name in _FILLED:
        held = [*carries(scene, command), *stored(scene, command), *piped(scene, command), *_fed(command)]
        for word in command.operands:
            now = now.naming(word.shape, held)
    return now


def _fed(command: Command) -> Iterator[Held]:
    """What `done < <(…)` feeds a loop that reads."""
    for redirect in command.redirects:
        shape = redirect.target.shape if redirect.target else ""
        if shape.startswith("<("):
            yield from spelled(f"${shape[1:]}")


def _files(scene: Scene, command: Command, now: Holdings) -> Holdings:
    if fetches(command):
        url = next(iter(hosts.destinations(command)), "")
        brought = Held(content=Content.FETCHED, origin=url, by=command.index)
        for path in saved(command):
            now = now.storing(below(command.folder, path), [brought])
        return now
    if command.name in {"rm", "shred", "unlink"}:
        for word in command.operands:
            now = now.storing(below(command.folder, word.shape), ())
        return now
    targets, archives = written(command), packed(command)
    if not targets and not archives:
        return now
    read = [*carries(scene, command), *stored(scene, command)]
    held = read if command.name in _PLACERS else [*told(scene, command)]
    if command.name == "tee":
        held = list(piped(scene, command))
    adds = any(redirect.operator in {">>", "&>>"} for redirect in command.redirects)
    for path in targets:
        if path.startswith("/dev/"):
            continue
        place = below(command.folder, path)
        now = now.storing(place, [*held, *(now.at(place) if adds else ())])
    for path in archives:
        now = now.storing(below(command.folder, path), [*read, *piped(scene, command)])
    return now
