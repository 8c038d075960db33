"""Calls that bring the task no further: asking for help, looking in wrong places, installing packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.outcome import acting
from aces_ci.core.trace.tools import Deed

_HELP = frozenset({"--help", "-h", "--version", "-V", "-help"})
_LOOKUPS = frozenset({"which", "whereis", "man", "type", "help", "info", "apropos", "whatis", "tldr"})
LISTERS = frozenset({"ls", "find", "tree", "fd", "stat", "file", "dir", "du"})
READERS = frozenset({"cat", "head", "tail", "less", "more", "wc"})
_INSTALLERS: dict[str, frozenset[str]] = {
    "pip": frozenset({"install", "download"}),
    "pip3": frozenset({"install", "download"}),
    "pipx": frozenset({"install", "run"}),
    "uv": frozenset({"add", "sync", "pip"}),
    "poetry": frozenset({"add", "install"}),
    "conda": frozenset({"install", "create"}),
    "mamba": frozenset({"install", "create"}),
    "npm": frozenset({"install", "i", "ci", "add"}),
    "pnpm": frozenset({"install", "i", "add"}),
    "yarn": frozenset({"install", "add"}),
    "bun": frozenset({"install", "add"}),
    "apt": frozenset({"install", "update", "upgrade"}),
    "apt-get": frozenset({"install", "update", "upgrade"}),
    "apk": frozenset({"add", "update"}),
    "yum": frozenset({"install"}),
    "dnf": frozenset({"install"}),
    "brew": frozenset({"install", "update"}),
    "gem": frozenset({"install"}),
    "cargo": frozenset({"install"}),
    "go": frozenset({"install", "get"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waste:
    """One wasted call, and which of the three kinds it is."""

    step: int
    kind: str
    """help, wrong_place, install"""


def counted(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The calls that are productive or waste: all but those that only keep a plan."""
    return tuple(action for action in actions if action.deed is not Deed.PLAN)


def waste(actions: Sequence[Action]) -> tuple[Waste, ...]:
    """Every wasted call in order. A compound command is waste only where each of its parts is."""
    found = ((action, _kind(action)) for action in counted(actions))
    return tuple(Waste(step=action.step, kind=kind) for action, kind in found if kind)


def _kind(action: Action) -> str | None:
    if action.deed in {Deed.LIST, Deed.READ} and action.failed:
        return "wrong_place"
    if action.deed is not Deed.SHELL:
        return None
    working = [command for command in acting(action.commands) if command.name != "cd"]
    kinds = [_of_command(command, bool(action.failed)) for command in working]
    return kinds[0] if kinds and all(kinds) else None


def _of_command(command: Command, failed: bool) -> str | None:
    name, words = command.name or "", command.argv
    if any(word in _HELP for word in words[1:]) and not (name in LISTERS | {"sort", "grep"} and "-h" in words):
        return "help"
    if name in _LOOKUPS or (name == "command" and any(word in {"-v", "-V"} for word in words)):
        return "help"
    verbs = _INSTALLERS.get(name)
    if verbs and any(word in verbs for word in words[1:3]):
        return "install"
    if name.startswith("python") and words[1:4] == ("-m", "pip", "install"):
        return "install"
    if failed and name in LISTERS | READERS:
        return "wrong_place"
    return None
