"""Programs in another language that a command is handed as text: `python3 -c`, `node -e`, a here-document."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aces_ci.core.scripts.files.touch import Touch
from aces_ci.core.scripts.programs import python_calls, python_files, script_calls
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.handed import read_in

_FLAGS = {
    "python": "c", "pypy": "c", "ipython": "c", "node": "ep", "nodejs": "ep", "bun": "e", "perl": "eE", "ruby": "e",
    "php": "r", "lua": "e", "osascript": "e", "awk": "", "gawk": "", "mawk": "", "deno": "",
}  # fmt: skip
"""Interpreter -> the letters of the options that take a program."""
_LONG = frozenset({"--eval", "--print", "--execute"})
_READ_IN = frozenset({"python", "pypy", "node", "nodejs", "bun", "perl", "ruby", "php", "lua"})
_AWKS = frozenset({"awk", "gawk", "mawk"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One text. `python` tells how it can be read: by its syntax tree, or by the text alone."""

    text: str
    python: bool

    @property
    def touches(self) -> tuple[Touch, ...]:
        """The files that it touches, as far as it names them."""
        return python_files.touches(self.text) if self.python else script_calls.touches(self.text)

    @property
    def scripts(self) -> tuple[str, ...]:
        """The shell scripts that it runs."""
        if not self.python:
            return script_calls.shell_calls(self.text)
        calls = (words for words, _, _ in python_calls.shell_calls(self.text))
        return tuple(words if isinstance(words, str) else shlex.join(words) for words in calls)


def handed_to(command: Command, commands: Sequence[Command]) -> Iterator[Program]:
    """The programs that `command`, one of `commands`, gets as its argument or from its standard input."""
    name = (command.name or "").lower().rstrip("0123456789.")
    if name not in _FLAGS:
        return
    python = name in {"python", "pypy", "ipython"}
    texts = list(_given(name, command))
    operands = command.operands
    if not texts and name in _READ_IN and (not operands or operands[0].shape in {"-", "/dev/stdin"}):
        texts.extend(read_in(command, commands))
    yield from (Program(text=text, python=python) for text in texts)


def _given(name: str, command: Command) -> Iterator[str]:
    words = [word.shape for word in command.arguments]
    if name in _AWKS:
        yield from (word.shape for word in command.operands[:1])
    elif name == "deno" and words[:1] == ["eval"]:
        yield from (word for word in words[1:] if word[:1] != "-")
    else:
        for word, following in itertools.pairwise([*words, ""]):
            if word in _LONG or (word[:1] == "-" and word[:2] != "--" and word[-1:] in _FLAGS[name] and word != "-"):
                yield following
            elif word[:1] != "-":
                return
