"""Whether a script was run: executed, not looked at, compiled or made executable."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from aces_ci.core.scripts.deeds.executed import executed
from aces_ci.core.scripts.deeds.flow import Fate
from aces_ci.core.scripts.deeds.printing import reaches, silenced
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.trace import fates
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.printed import body

_BROKEN = re2.compile(
    r"(?m)^Traceback \(most recent call last\):|^\w*(?:Error|Exception)(?:: |$)|^\s+at \S+ \(\S+:\d+:\d+\)"
)
_QUIET = frozenset({"cd", "export", "set", "true", ":", "exit", "mkdir", "chmod", "source", ".", "test", "[", "[["})
"""Programs that print nothing, so that what came out is another's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRun:
    """One execution. `worked` None: nothing says how it ended."""

    action: int
    step: int
    started: bool | None
    """False where the interpreter could not even open it; None where nobody can tell whether it ran at all."""
    worked: bool | None
    because: str = ""
    """Why nobody can tell."""
    at: int = 0
    """Place within its call."""


def runs(actions: Sequence[Action], script: str) -> tuple[ScriptRun, ...]:
    """Every execution of `script` (a path; its last parts have to agree) in order. Asking for help is none, and
    neither is a command that the shell never came to.
    """
    return tuple(run for action in actions for run in _of(action, _parts(script)))


def _of(action: Action, wanted: tuple[str, ...]) -> Iterator[ScriptRun]:
    found = [
        (command, path)
        for command in action.commands
        for path in executed(command, action.commands)
        if _agrees(path, wanted)
    ]
    if not found:
        return
    known = fates.of(action)
    for command, path in {command.index: (command, path) for command, path in reversed(found)}.values():
        fate = known[command.index]
        if fate.ran is False:
            continue
        started, because = _started(action, command, fate, path)
        worked = (fate.ended if fate.ended is not None else _unbroken(action)) if started else None
        yield ScriptRun(
            action=action.number, step=action.step, started=started, worked=worked, because=because, at=command.index
        )


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in posixpath.normpath(path.strip()).split("/") if part not in {"", ".", ".."})


def _agrees(path: str, wanted: tuple[str, ...]) -> bool:
    """Whether two paths end alike for as long as both go: `./quartz.py` after a `cd` is
    `scripts/quartz.py`.
    """
    given = _parts(path)
    length = min(len(given), len(wanted))
    return length > 0 and given[-length:] == wanted[-length:]


def _started(action: Action, command: Command, fate: Fate, path: str) -> tuple[bool | None, str]:
    """Whether the script began to run; the reason where nobody can tell."""
    if action.output is None:
        return None, "the run was cut off before its result"
    text = body(action.output)
    if fate.ended is not True and _unopened(posixpath.basename(path), command.name or "").search(text):
        return False, ""
    if fate.ran is None:
        return None, "nobody can tell whether the command ran"
    if fate.ended is True or not silenced(command, action.commands):
        return True, ""
    alone = all(each.pipeline == command.pipeline or each.name in _QUIET for each in action.commands if each.words)
    if alone and text and reaches(command, action.commands):
        return True, ""
    return None, "its errors were thrown away, so nobody can tell whether it started"


def _unbroken(action: Action) -> bool | None:
    """False where the output holds the report of a crash; what ended in silence is not known."""
    if action.failed is True:
        return False
    return False if _BROKEN.search(body(action.output)) else None


@lru_cache(maxsize=256)
def _unopened(name: str, program: str) -> Any:
    """What an interpreter or a shell says where it never came to run a script."""
    script, stem, runner = re2.escape(name), re2.escape(name.rsplit(".", 1)[0]), re2.escape(program)
    return re2.compile(
        rf"(?m)can't open file .*{script}|(?i:cannot (?:open|execute|find|access)|could not open).*{script}"
        rf"|{script}['\"’]?: (?:No such file|Permission denied|(?:command )?not found|cannot execute|Is a directory)"
        rf"|No module named '?(?:[\w.]*\.)?{stem}\b|LoadError.*{script}|can't find '__main__' module in .*{script}"
        rf"|(?:^|/){runner}: (?:No module named|Error while finding module)"
        rf"|(?:^|[ /'\"‘]){runner}['’\"]?: (?:command not found|not found|No such file)"
    )
