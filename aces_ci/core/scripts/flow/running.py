"""What a script runs that went through its own variables and files before."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.scripts.flow.output import piped
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command, Word
from aces_ci.core.scripts.shell.folders import below
from aces_ci.core.scripts.shell.wrappers import INTERPRETERS, SHELLS

EVALUATORS = frozenset({"eval", "source", ".", "iex", "invoke-expression"})
_RUNNERS = INTERPRETERS | {"source", "."}
_WHOLE = re2.compile(r"[$]\{?\w+\}?")
_PLACES = ("./", "../", "/tmp/", "/var/tmp/", "/dev/shm/", "~", "$")
_CODED = frozenset({"-c", "-e", "-lc", "-ic", "-Command"})
"""Options whose next word is a program."""


def held_and_run(scene: Scene, command: Command) -> Iterator[Held]:
    """What a command runs of that which variables and files hold."""
    name = ((command.name or command.words[0].shape) if command.words else "").lower()
    file = file_run(command)
    if not (file or name in EVALUATORS or name in INTERPRETERS or name[:1] == "$" or "eval" in command.wrappers):
        return
    now = scene.held(command)
    if not (now.variables or now.files):
        return
    for word in command.words:
        if _WHOLE.fullmatch(word.shape) and _is_a_program(command, name, word):
            yield from now.used(word.shape)
    if runs_stdin(command):
        yield from (each for redirect in command.redirects if redirect.body for each in now.used(redirect.body))
        yield from piped(scene, command)
    if file:
        yield from now.named(below(command.folder, file))


def written_and_run(scene: Scene, command: Command) -> Iterator[str]:
    """The texts that a script has written out and runs here; what is piped into a shell is read already."""
    for each in held_and_run(scene, command):
        if each.content is Content.WRITTEN:
            yield each.origin


def file_run(command: Command) -> str | None:
    """The file that a command runs, as it names it; None where it is a program of the machine."""
    first = command.words[0].shape if command.words else ""
    if first.startswith(("./", "../", "/tmp/", "/var/tmp/", "/dev/shm/", "~", "$")) or (
        command.folder and "/" in first
    ):
        return first
    if command.name in _RUNNERS and command.operands and not command.has("-c", "-e", "-m"):
        return command.operands[0].shape
    return None


def runs_stdin(command: Command) -> bool:
    """Whether the command executes what it reads: `sh`, `bash -s -- x`, `python3 -`, but not `python3 -m json.tool`."""
    name = (command.name or "").lower()
    if name in {"iex", "invoke-expression"}:
        return True
    if name not in INTERPRETERS and not _versioned(name):
        return False
    if name in SHELLS and command.has("-s"):
        return True
    if command.has("-c", "-e", "-m", "-p", "-n", "-r", "--eval", "--print", "--version", "-h", "--help", "-l"):
        return name in SHELLS and not command.has("-c", "--version", "--help", "-n")
    operands = command.operands
    if name in {"deno", "bun"}:
        return len(operands) >= 2 and operands[0].shape == "run" and operands[1].shape == "-"
    return not operands or operands[0].shape in {"-", "/dev/stdin"}


def _versioned(name: str) -> bool:
    return name.startswith("python") and name[6:].replace(".", "").isdigit()


def _is_a_program(command: Command, name: str, word: Word) -> bool:
    """Whether a word is the text of a program, not the name of one or what it is told."""
    if word is command.words[0] or name in {"eval", "iex", "invoke-expression"}:
        return True
    pairs = zip(command.words, command.words[1:], strict=False)
    return any(after is word and before.shape in _CODED for before, after in pairs)
