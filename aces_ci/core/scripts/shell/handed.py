"""The program text that an interpreter reads from its standard input, where a script writes it out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.shell.command import Command, Word
from aces_ci.core.scripts.shell.wrappers import SHELLS

ANY_NAME = Word(text="*", shape="*", line=1, column=1)
"""What a variable holds that goes over the names in a folder."""
MAX_ARGUMENTS = 10
_LISTING = re2.compile(r"[$][(]\s*ls(?:\s+[^|;&()*?\[]*)?[)]")
_PASSES_ON = frozenset({"cat", "tee"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One text, where it begins, and its `$0`, `$1` …"""

    text: str
    line: int
    column: int
    positional: tuple[Word, ...] = ()


def scripts(command: Command, script: Word | None, commands: Sequence[Command]) -> Iterator[Script]:
    """What a shell is handed: the word after `-c`, else what it reads from its standard input."""
    if script is not None:
        column = script.column + (1 if script.quoted else 0)
        yield Script(text=script.shape, line=script.line, column=column, positional=command.positional)
    elif command.name in SHELLS and (not command.operands or command.has("-s")):
        positional = (command.words[0], *command.operands)
        for text in read_in(command, commands):
            yield Script(text=text, line=command.line + 1, column=1, positional=positional)


def arguments(known: Mapping[str, Word]) -> tuple[Word, ...]:
    """`$0`, `$1` … among what is known, up to the first that is not."""
    numbers = itertools.takewhile(lambda number: number in known, map(str, range(MAX_ARGUMENTS)))
    return tuple(known[number] for number in numbers)


def read_in(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """The here-documents of `command`; without one, what the stage before it in `commands` prints."""
    bodies = [redirect.body for redirect in command.redirects if redirect.body]
    if bodies:
        yield from bodies
        return
    if command.position == 0:
        return
    for before in reversed(commands):
        if before.pipeline == command.pipeline and before.position < command.position:
            text = printed(before)
            if text is not None:
                yield text
            elif before.name in _PASSES_ON and before.position > 0 and not before.operands:
                continue
            return


def printed(command: Command) -> str | None:
    """What `echo`, `printf` or `cat <<EOF` writes to its output, or None where only the run knows."""
    if command.name == "cat" and not command.operands:
        return next((redirect.body for redirect in command.redirects if redirect.body), None)
    words = [word.shape for word in command.arguments]
    if command.name == "echo":
        while words and words[0] in {"-n", "-e", "-E", "-ne", "-en"}:
            words.pop(0)
        return " ".join(words).replace("\\n", "\n")
    if command.name == "printf" and words:
        form, *rest = words[1:] if words[0] == "--" else words
        for value in rest:
            form = form.replace("%s", value, 1) if "%s" in form else f"{form}{value}"
        return form.replace("\\n", "\n")
    return None


def listing(shape: str) -> bool:
    """Whether a word is `$(ls …)`: every name in a folder."""
    return _LISTING.fullmatch(shape) is not None


def lists(commands: Sequence[Command], reader: Command) -> bool:
    """Whether what `read` reads are the names that an `ls` before it prints, none of them left out."""
    before = [each for each in commands if each.pipeline == reader.pipeline and each.position < reader.position]
    return len(before) == 1 and before[0].name == "ls" and not any("*" in word.shape for word in before[0].operands)
