"""Whether a script was run: executed, not looked at, compiled or made executable."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.command import Command, Word
from aces_ci.core.scripts.wrappers import INTERPRETERS
from aces_ci.core.trace.actions import Action

_SOURCE = frozenset({"source", "."})
_MORE = frozenset({"Rscript", "julia", "bun", "tsx", "ts-node", "npx", "go", "dotnet", "java", "py", "pypy3", "uv"})
_NEVER_STARTED = re2.compile(
    r"can't open file|cannot open|No such file or directory|Cannot find module|command not found"
    r"|Permission denied"
    r"|No module named|Could not open input file|LoadError|not found$"
)
_VERSIONED = re2.compile(r"(?:python|pypy|ruby|node|perl)[\d.]+")
"""`python3.12` and its like."""
_DIGITS = frozenset("0123456789.")
_ASKING = frozenset({"--help", "-h", "--version", "-V", "help"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRun:
    """One execution. `worked` None: nothing says how it ended."""

    action: int
    step: int
    started: bool
    """False where the interpreter could not even open it."""
    worked: bool | None


def runs(actions: Sequence[Action], script: str) -> tuple[ScriptRun, ...]:
    """Every execution of `script` (a path; its last parts have to agree) in order. Asking for help is
    none.
    """
    wanted = _parts(script)
    return tuple(
        _run(action)
        for action in actions
        if any(_agrees(path, wanted) for command in action.commands for path in executed(command))
    )


def executed(command: Command) -> Iterator[str]:
    """Paths that a command runs as a program: itself, what its interpreter gets, what a shell sources."""
    if any(word.text in _ASKING for word in command.arguments):
        return
    first = command.words[0].shape if command.words else ""
    name = command.name or ""
    if name in _SOURCE and command.operands:
        yield command.operands[0].shape
    elif name in INTERPRETERS or name in _MORE or (name[-1:] in _DIGITS and _VERSIONED.fullmatch(name)):
        yield from _interpreted(command)
    elif first:
        yield first


def _interpreted(command: Command) -> Iterator[str]:
    words: Sequence[Word] = command.arguments
    for at, word in enumerate(words):
        if word.shape in {"-m", "-c", "-e"}:
            following = words[at + 1].shape if at + 1 < len(words) else ""
            if word.shape == "-m":
                yield following.replace(".", "/") + ".py"
            return
        if word.shape in {"-W", "-X", "-r", "--require", "--import", "-I"}:
            continue
        if word.shape[:1] != "-" and word.shape not in {"run", "exec"}:
            yield word.shape
            return
    for redirect in command.redirects:
        if redirect.operator == "<" and redirect.target:
            yield redirect.target.shape


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in posixpath.normpath(path.strip()).split("/") if part not in {"", ".", ".."})


def _agrees(path: str, wanted: tuple[str, ...]) -> bool:
    """Whether two paths end alike for as long as both go: `./quartz.py` after a `cd` is
    `scripts/quartz.py`.
    """
    given = _parts(path)
    length = min(len(given), len(wanted))
    return length > 0 and given[-length:] == wanted[-length:]


def _run(action: Action) -> ScriptRun:
    unopened = action.failed is True and bool(_NEVER_STARTED.search(action.output or ""))
    return ScriptRun(
        action=action.number,
        step=action.step,
        started=not unopened,
        worked=None if action.failed is None else not action.failed,
    )
