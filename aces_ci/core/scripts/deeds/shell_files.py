"""Files that shell commands read, write and delete."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aces_ci.core.scripts.files import patch
from aces_ci.core.scripts.files.paths import braces
from aces_ci.core.scripts.files.touch import How, Touch
from aces_ci.core.scripts.programs.program import handed_to
from aces_ci.core.scripts.shell.command import Command, Word
from aces_ci.core.scripts.shell.handed import printed, read_in

_READERS = frozenset(
    {"cat", "bat", "batcat", "less", "more", "most", "head", "tail", "tac", "rev", "nl", "od", "xxd", "hexdump", "hd",
     "strings", "base64", "base32", "cut", "sort", "uniq", "paste", "column", "fold", "fmt", "expand", "diff", "cmp",
     "comm", "awk", "gawk", "sed", "grep", "egrep", "fgrep", "rg", "ag", "jq", "yq", "gpg", "zcat", "gzip", "vi", "vim",
     "view", "nano", "emacs", "source", ".", "mapfile", "readarray", "look", "iconv", "pr", "split", "csplit",
     "cp", "mv", "install", "ln", "scp", "rsync", "tar", "zip", "7z", "dd", "openssl"}
)  # fmt: skip
_COPIERS = frozenset({"cp", "mv", "install", "ln", "scp", "rsync"})
_PATTERNED = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "jq", "yq"})
"""Programs whose first operand is what they look for or do."""
_DELETERS = frozenset({"rm", "unlink", "rmdir", "shred"})
_EMPTIERS = frozenset({"truncate", "tee", "touch"})
_UNPACKERS = {"tar": frozenset({"-C", "--directory"}), "unzip": frozenset({"-d"}), "bsdtar": frozenset({"-C"})}
"""Program -> the options that name where its files go."""
_GIT_SHOWS = frozenset({"show", "blame", "cat-file", "diff"})
_VALUED = frozenset({"-s", "--size", "-n", "--lines", "-c", "--bytes", "-d", "-f", "-F", "-k", "-t"})
"""Options that take the next word, which is no file; `grep -f FILE` is rare enough."""


def touches(command: Command, commands: Sequence[Command]) -> Iterator[Touch]:
    """What `command`, one of the `commands` of a script, touches; programs in other languages included."""
    for redirect in command.redirects:
        target = redirect.target.shape if redirect.target is not None and redirect.body is None else "-"
        if not (target == "-" or (target.isdigit() and redirect.operator.endswith("&"))):
            how = How.WRITE if ">" in redirect.operator else How.READ
            text = printed(command) if how is How.WRITE else None
            yield _touch(command, target, how, text=text, adds=redirect.operator == ">>")
    piped = next(read_in(command, commands), None) if command.name == "tee" else None
    yield from (replace(each, text=piped) if each.how is How.WRITE else each for each in _named(command))
    for body in (redirect.body for redirect in command.redirects if redirect.body):
        yield from (_at(command, each) for each in patch.touches(body))
    for word in command.arguments:
        if word.shape.lstrip().startswith(patch.BEGIN):
            yield from (_at(command, each) for each in patch.touches(word.shape))
    for program in handed_to(command, commands):
        yield from (_at(command, touch) for touch in program.touches)


def _named(command: Command) -> Iterator[Touch]:
    name = command.name or ""
    files = [shape for word in _files(command) for shape in ((word.shape,) if word.quoted else braces(word.shape))]
    if name in _DELETERS:
        deep = command.has("-r", "-R", "--recursive")
        yield from (_touch(command, shape, How.DELETE, deep=deep) for shape in files)
    elif name in _COPIERS and len(files) > 1:
        yield from (_touch(command, shape, How.READ) for shape in files[:-1])
        yield _touch(command, files[-1], How.WRITE)
        if name == "mv":
            yield from (_touch(command, shape, How.DELETE) for shape in files[:-1])
    elif name == "dd":
        for word in command.arguments:
            if word.shape.startswith(("if=", "of=")):
                yield _touch(command, word.shape[3:], How.READ if word.shape[0] == "i" else How.WRITE)
    elif name in _EMPTIERS or (name == "sed" and command.has("-i", "--in-place")):
        adds = name == "touch" or (name == "tee" and command.has("-a", "--append"))
        yield from (_touch(command, shape, How.WRITE, adds=adds) for shape in files)
    elif name in _UNPACKERS and _unpacks(command):
        goals = [b.shape for a, b in itertools.pairwise(command.arguments) if a.shape in _UNPACKERS[name]]
        yield from (_touch(command, goal, How.WRITE, adds=True) for goal in goals)
    elif name == "git" and any(word.shape in _GIT_SHOWS for word in command.operands):
        yield from (_touch(command, word.shape.rpartition(":")[2], How.READ) for word in command.operands[1:])
    elif name in _READERS:
        yield from (_touch(command, shape, How.READ) for shape in files)
    elif name in {"curl", "wget"}:
        yield from _downloads(command)


def _unpacks(command: Command) -> bool:
    mode = command.arguments[0].shape if command.arguments else ""
    return command.name != "tar" or command.has("-x", "--extract") or (mode[:1] != "-" and "x" in mode)


def _files(command: Command) -> list[Word]:
    words = list(command.arguments)
    found: list[Word] = []
    literal = False
    at = 0
    while at < len(words):
        shape = words[at].shape
        if literal or shape[:1] != "-" or shape == "-":
            found.append(words[at])
        elif shape == "--":
            literal = True
        elif shape in _VALUED and command.name not in _DELETERS | _COPIERS | {"cat", "tee", "sort", "source", "."}:
            at += 1
        at += 1
    patterned = command.name in _PATTERNED and not command.has("-e", "--regexp", "--expression")
    if command.name in {"source", "."}:
        return found[:1]
    return found[1:] if patterned else found


def _downloads(command: Command) -> Iterator[Touch]:
    letter, long = ("o", "--output") if command.name == "curl" else ("O", "--output-document")
    for word, following in itertools.pairwise([*(word.shape for word in command.arguments), ""]):
        if word.startswith(f"{long}="):
            yield _touch(command, word.split("=", 1)[1], How.WRITE)
        elif following not in {"", "-"} and (
            word == long or (word[:1] == "-" and word[1:2] != "-" and word[-1] == letter)
        ):
            yield _touch(command, following, How.WRITE)


def _touch(
    command: Command, path: str, how: How, *, deep: bool = False, text: str | None = None, adds: bool = False
) -> Touch:
    return Touch(how=how, path=path, folder=command.folder, deep=deep, text=text, adds=adds, line=command.line)


def _at(command: Command, touch: Touch) -> Touch:
    return replace(touch, folder=command.folder, line=command.line)
