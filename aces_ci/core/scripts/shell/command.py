"""One simple shell command as a value: what runs, with which words, inside what."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Within(StrEnum):
    """What surrounds a command, outermost not told apart."""

    SUBSHELL = "subshell"
    SUBSTITUTION = "substitution"
    """`$(…)` or backquotes inside a word of another command."""
    PROCESS = "process"
    """`<(…)` or `>(…)` inside a word of another command."""
    FUNCTION = "function"
    LOOP = "loop"
    BRANCH = "branch"
    """Inside `if`, `case` or `while`'s condition or body: it may never run."""
    STRING = "string"
    """Came out of a text handed to a shell: `bash -c "…"`, `eval`, a heredoc of `sh`."""
    REMOTE = "remote"
    """Runs on another machine: `ssh host …`."""
    CONTAINER = "container"
    """Runs in a container: `docker exec …`, `kubectl exec …`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One argument. `line` and `column` are 1-based places of its first byte in the parsed script."""

    text: str | None
    """What the program receives, quotes and escapes removed; None where a part is only known at run time."""
    shape: str
    """`text` with each dynamic part left as it was written: `$HOME/.ssh`, `$(cat key)`."""
    line: int
    column: int
    quoted: bool = False
    """Whether any part stood in quotes, so that it does not expand as a glob or split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """`>`, `>>`, `<`, `<<`, `<<<`, `>&` … with its file descriptor where one is written."""

    operator: str
    target: Word | None
    descriptor: int | None = None
    body: str | None = None
    """Text of a here-document or here-string, where it is static or as it was written."""

    @property
    def writes(self) -> bool:
        """Whether the target file is created or changed."""
        return ">" in self.operator and not self.operator.endswith("&")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command. Indices count in the tuple that `commands.parse` returned."""

    index: int
    words: tuple[Word, ...]
    """Program first, wrappers (`sudo`, `env`, `timeout` …) taken off; empty for a bare redirection."""
    wrappers: tuple[str, ...] = ()
    """Names of the wrappers taken off, outermost first."""
    assignments: tuple[tuple[str, Word], ...] = ()
    """`NAME=value` before the program; with no words: of the script's own variables."""
    redirects: tuple[Redirect, ...] = ()
    pipeline: int = 0
    """Commands with one number are connected by pipes, also through groups and wrappers."""
    position: int = 0
    """0 for the first stage of its pipeline."""
    operator: str = ""
    """What joins it to the command before: `&&`, `||`, `;`, `|`, `|&`, `&` or "" for the first and new lines."""
    background: bool = False
    within: frozenset[Within] = frozenset()
    parent: int | None = None
    """The command whose word, or whose string, holds this one."""
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    source: str = ""
    """The text as written, at most 400 characters."""
    folder: str = ""
    """Where it runs, as far as the script says (`cd`, `pushd`, `env -C`); "" is where the script was started."""
    given: tuple[Word, ...] = ()
    """Where `find` looks for what it hands to this command by `-exec`."""
    positional: tuple[Word, ...] = ()
    """`$0`, `$1` … of the script that a shell is handed by `-c`."""
    # Every detector asks for these, so they are worked out once.
    name: str | None = field(init=False, compare=False, repr=False)
    """The program's own name without folders (`/usr/bin/rm` is `rm`), or None where it is dynamic."""
    arguments: tuple[Word, ...] = field(init=False, compare=False, repr=False)
    """Every word after the program."""
    operands: tuple[Word, ...] = field(init=False, compare=False, repr=False)
    """Arguments that are no options; everything after `--` counts as one."""

    def __post_init__(self) -> None:
        """Work out what follows from the words."""
        text = self.words[0].text if self.words else None
        object.__setattr__(self, "name", text.rstrip("/").rsplit("/", 1)[-1] if text else text)
        object.__setattr__(self, "arguments", self.words[1:])
        object.__setattr__(self, "operands", _operands(self.words[1:]))

    @property
    def argv(self) -> tuple[str | None, ...]:
        """The words' texts; None where only the run knows."""
        return tuple(word.text for word in self.words)

    def has(self, *options: str) -> bool:
        """Whether one of the options is given; `-f` also matches a cluster (`-rf`), `--x` also `--x=value`."""
        for word in self.arguments:
            if word.shape == "--":
                return False
            for option in options:
                if option.startswith("--"):
                    if word.shape == option or word.shape.startswith(option + "="):
                        return True
                elif word.shape[:1] == "-" and word.shape[:2] != "--" and option[1:] in word.shape[1:]:
                    return True
        return False


def _operands(arguments: tuple[Word, ...]) -> tuple[Word, ...]:
    found: list[Word] = []
    literal = False
    for word in arguments:
        if not literal and word.shape == "--":
            literal = True
        elif literal or not word.shape.startswith("-") or word.shape == "-":
            found.append(word)
    return tuple(found)
