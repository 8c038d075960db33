"""What a command prints of what matters: of private files, of downloads, of what its variables hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from aces_ci.core.scripts.deeds.printing import printed
from aces_ci.core.scripts.flow.private_files import LISTERS, PICKERS, carries, listed, stored
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.downloads import decodes, fetches, saved
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.commands import parse
from aces_ci.core.scripts.shell.handed import printed as said

_SAYERS = frozenset({"echo", "printf", "jq", "print"})
"""Programs that print what is in their words."""
_SWALLOW = frozenset(
    {"wc", "md5sum", "md5", "sha1sum", "sha256sum", "sha512sum", "shasum", "sum", "cksum", "b2sum", "true", ":",
     "false", "test", "[", "file", "stat", "du", "ssh-keygen", "pbcopy", "xclip", "cmp", "diff", "mkdir", "chmod", "cp",
     "mv", "install", "ln", "rm", "exit", "return", "source", "."}
)  # fmt: skip
"""Programs that print nothing of what they read."""
_CODE = frozenset({Content.FETCHED, Content.DECODED, Content.WRITTEN})
_AS_IT_IS = frozenset({"cat", "tee", "echo", "printf"})
MAX_DEPTH = 12
"""Stages and substitutions that are followed back."""


def told(scene: Scene, command: Command, depth: int = 0) -> tuple[Held, ...]:
    """What of it goes to the standard output, whatever becomes of that."""
    if depth > MAX_DEPTH or command.name in _SWALLOW or printed(command) is False:
        return ()
    return tuple(dict.fromkeys(_told(scene, command, depth)))


def piped(scene: Scene, command: Command, depth: int = 0) -> Iterator[Held]:
    """What the stage right before it prints into it."""
    before = scene.before(command)
    nearest = max((each.position for each in before), default=-1)
    for stage in before:
        if stage.position == nearest:
            yield from told(scene, stage, depth + 1)


def substituted(scene: Scene, command: Command, depth: int = 0) -> Iterator[Held]:
    """What `$(…)` in its words puts there: the output of the last stage."""
    for inner in scene.children(command):
        if not scene.after(inner):
            yield from told(scene, inner, depth + 1)


@lru_cache(maxsize=512)
def spelled(shape: str) -> tuple[Held, ...]:
    """What `$(…)` in a word puts there whose commands stand elsewhere: in the call of a function, in a redirection."""
    if "$(" not in shape and "`" not in shape:
        return ()
    scene = Scene(parse(shape))
    inner = [each for each in scene.commands if each.parent is not None and not scene.after(each)]
    return tuple(held for each in inner for held in told(scene, each))


def _told(scene: Scene, command: Command, depth: int) -> Iterator[Held]:
    picks = command.name in PICKERS
    made = _decoded(command) if decodes(command) else None
    if made is not None:
        yield made
    for each in _through(scene, command, depth):
        if each.content in _CODE:
            if not picks and (each.content is not Content.WRITTEN or command.name in _AS_IT_IS):
                yield each
        else:
            yield replace(each, part=each.part or picks)


def _through(scene: Scene, command: Command, depth: int) -> Iterator[Held]:
    now = scene.held(command)
    yield from carries(scene, command)
    yield from (each for each in stored(scene, command) if each.content is not Content.PRIVATE)
    if fetches(command) and not saved(command):
        url = next(iter(hosts.destinations(command)), "")
        yield Held(content=Content.FETCHED, origin=url, by=command.index)
    if command.name in LISTERS:
        yield from (Held(content=Content.NAMES, origin=each) for each in listed(command.arguments))
    text = said(command) if command.name in _AS_IT_IS else None
    if text:
        yield Held(content=Content.WRITTEN, origin=text, by=command.index)
    if command.name in _SAYERS:
        yield from (each for word in command.arguments if word.text is None for each in now.used(word.shape))
        yield from substituted(scene, command, depth)
    for redirect in command.redirects:
        if redirect.body and "$" in redirect.body:
            yield from now.used(redirect.body)
            yield from substituted(scene, command, depth)
    yield from piped(scene, command, depth)


def _decoded(command: Command) -> Held:
    return Held(content=Content.DECODED, origin=command.name or "", by=command.index)
