"""What programs say in an output when they could not do what they were asked, and about what."""

from __future__ import annotations

import re2

from aces_ci.core.scripts.shell.command import Command

_PHRASE = re2.compile(
    r"(?i)no such file|can't open|cannot open|can't read|cannot read|cannot access|can't cd|permission denied"
    r"|is a directory|not a directory|not found|cannot find|cannot stat|could not open|invalid (?:option|number)"
    r"|unrecognized option|unknown option|missing operand|operation not permitted|no module named|unmatched|read error"
    r"|io error|os error|is binary|input/output error"
)
_LOUD = frozenset(
    {"cat", "tac", "head", "tail", "sed", "nl", "cd", "ls", "cp", "mv", "mkdir", "touch", "chmod", "sort", "cut", "wc"}
    | {"awk", "gawk", "stat", "fold", "tee", "pushd", "rm"}
)
"""Programs that end well or say why not."""
_SHELLS = re2.compile(r"^(?:/?\S*/)?(?:ba|z|da|k|a)?sh: (?:line \d+: |\d+: )?")


def about(output: str, path: str) -> bool:
    """Whether a line says that something went wrong with this file, named as the command names it."""
    return bool(path) and any(path in line and _PHRASE.search(line) for line in output.splitlines())


def by(output: str, command: Command) -> bool:
    """Whether a line is a complaint of this program: `cat: x: No such file or directory`."""
    name = command.name or ""
    first = command.words[0].shape if command.words else ""
    if f"{name}: " not in output and f"{first}: " not in output:  # nearly every output, before its lines are read
        return False
    for line in output.splitlines():
        bare = _SHELLS.sub("", line.strip())
        speaker = bare.partition(": ")[0]
        if (speaker == first or speaker.rsplit("/", 1)[-1] == name) and _PHRASE.search(bare):
            return True
    return False


def ended_well(output: str, command: Command) -> bool | None:
    """How a program ended that never fails in silence, when all that it says is seen; None for any other."""
    if by(output, command):
        return False
    return True if command.name in _LOUD else None
