"""What became of the commands of a shell call, from its script, its exit code and what it printed."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.scripts.deeds.flow import Fate, fates
from aces_ci.core.scripts.deeds.printing import reaches, silenced
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.trace import complaints
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.printed import body

_SAYERS = frozenset({"echo", "printf"})
_SAID = 3
"""Letters of a printed text from which on it is told from others."""


def of(action: Action) -> tuple[Fate, ...]:
    """The fate of each of the action's commands."""
    if action.script is None or action.output is None:
        return tuple(Fate() for _ in action.commands)
    text = body(action.output)
    return fates(action.script, action.commands, action.ended, lambda each: _hint(each, action.commands, text))


def _hint(command: Command, commands: Sequence[Command], text: str) -> Fate:
    """What the output says of one command. Where nobody could see its errors, silence proves nothing."""
    if command.name in _SAYERS:
        return Fate(ran=_said(command, text) if reaches(command, commands) else None)
    if silenced(command, commands):
        return Fate()
    return Fate(ended=complaints.ended_well(text, command))


def _said(command: Command, text: str) -> bool | None:
    """Whether a text that is written out was printed; None for one that is not, or that says too little."""
    words = [word.text for word in command.arguments if word.shape[:1] != "-"]
    if any(word is None or "%" in word or "\\" in word for word in words):
        return None
    line = " ".join(word for word in words if word)
    return line in text if len(line) >= _SAID else None
