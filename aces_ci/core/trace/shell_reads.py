"""What a shell call set out to read of skills, and whether its commands let the content out."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.deeds.flow import Fate
from aces_ci.core.scripts.deeds.printing import printed, reaches, silenced
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.wrappers import INTERPRETERS
from aces_ci.core.trace import complaints, fates, skill_text
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.manifests import MANIFEST, folder, listed, manifest, unknown, written_out
from aces_ci.core.trace.outcome import acting
from aces_ci.core.trace.printed import body
from aces_ci.core.trace.skill_text import Texts

_INSIDE = re2.compile(r"(?i)[\w@%+.,:~$/*?-]*SKILL\.md")
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack"})
_CODED = frozenset({"od", "xxd", "hexdump", "base64", "base32", "gzip", "rev"})
_NEVER = frozenset(
    {"ls", "stat", "test", "[", "[[", "find", "fd", "file", "wc", "md5sum", "sha1sum", "sha256sum", "cksum", "cp", "mv"}
    | {"rm", "ln", "touch", "chmod", "chown", "mkdir", "echo", "printf", "basename", "dirname", "realpath", "readlink"}
    | {"du", "cmp", "tar", "zip", "install", "rsync", "scp", "cd", "export", "open", "code", "vim", "vi", "nano", "ed"}
    | {"which", "type", "tree", "for", "exit", "truncate", "shasum", "read", "sleep", "kill", "true", "false", ":"}
)
"""Programs that take the path of a file and print nothing of what is in it."""
_FILTERS = frozenset({"cd", "echo", "printf", "ls", "pwd", "true", ":", "set", "export", "test", "[", "[["})
"""What goes with a reading and is no work of its own."""
_GIT_PRINTS = {"show": True, "cat-file": True, "diff": None, "log": None, "blame": True, "grep": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One skill that a call set out to read."""

    name: str | None
    printed: bool | None
    """Whether the call let its content out; None where only a run could tell."""
    because: str = ""
    at: int = 0
    coded: bool = False
    """It came out in a form in which its words cannot be looked for."""
    loader: bool = False
    """A tool that hands the skill to the model by itself, beside what it returns."""


def candidates(action: Action, texts: Texts) -> Iterator[Candidate]:
    """Every skill that a command of the call reads, once each in order; the best attempt counts."""
    if "skill" not in (action.script or "").casefold() and "skill" not in (action.folder or "").casefold():
        return
    text = body(action.output)
    tried = [(command, path) for command in action.commands for path in _paths(command, text)]
    known = fates.of(action) if tried else ()
    for command, path in tried:
        place = command.folder or action.folder or ""
        printed_, because = _let_out(action, command, path, known[command.index], text)
        coded = command.name in _CODED
        for name in _names(posixpath.join(place, path), text, texts):
            yield Candidate(name=name, printed=printed_, because=because, at=command.index, coded=coded)


def without(action: Action, readings: Collection[int]) -> str | None:
    """What a shell call did beside reading skills, as text; None where that was all, or it is no shell call."""
    beside = [
        command
        for command in acting(action.commands)
        if command.index not in readings
        and command.name not in _FILTERS
        and not any(action.commands[each].parent == command.index for each in readings)
        and not any(action.commands[each].pipeline == command.pipeline for each in readings)
    ]
    return "; ".join(command.source for command in beside) if beside else None


def _names(path: str, text: str, texts: Texts) -> Iterator[str | None]:
    if unknown(path) or not manifest(path):
        names = [*skill_text.declared(text), *skill_text.owners(text, texts)]
        yield from {name.casefold(): name for name in reversed(names)}.values()
        return
    own = folder(path)
    yield own if own is not None else next(iter([*skill_text.declared(text), *skill_text.owners(text, texts)]), None)


def _paths(command: Command, text: str) -> Iterator[str]:
    """Paths of SKILL.md files that a command reads, and paths that only the run knows."""
    name = command.name or ""
    for redirect in command.redirects:
        if redirect.operator == "<" and redirect.target and manifest(redirect.target.shape):
            yield redirect.target.shape
    if name in _NEVER or (name == "git" and _verb(command) not in _GIT_PRINTS):
        return
    operands = [path for word in command.operands for path in written_out(word.shape)]
    if name in INTERPRETERS or name.startswith("python3."):
        yield from _in_code(command)
        return
    if name in _SEARCHERS:
        operands = operands[1:]
        yield from _searched(operands, text)
    prints = printed(command) if not operands or any(map(unknown, operands)) else None
    yield from (path for path in operands if manifest(path) or (prints and unknown(path)))
    if prints and not operands and "xargs" in command.wrappers:
        yield "*"


def _in_code(command: Command) -> Iterator[str]:
    texts = [word.shape for word in command.arguments]
    texts += [redirect.body for redirect in command.redirects if redirect.body]
    for code in texts:
        if MANIFEST in code.lower():
            yield from _INSIDE.findall(code)


def _searched(places: Sequence[str], text: str) -> Iterator[str]:
    """SKILL.md files of which a recursive search shows lines, where it was pointed at the skill's own folder."""
    own = {posixpath.basename(posixpath.normpath(place)) for place in places}
    yield from (f"{path}/SKILL.md" for path, name in listed(text) if name in own)


def _verb(command: Command) -> str:
    return next((word.shape for word in command.operands), "")


def _let_out(action: Action, command: Command, path: str, fate: Fate, text: str) -> tuple[bool | None, str]:
    """Whether the content came out, and why not, or why nobody can tell."""
    if fate.ran is False:
        return False, "the command never ran"
    prints = _GIT_PRINTS.get(_verb(command)) if command.name == "git" else printed(command)
    goes = reaches(command, action.commands)
    if prints is False:
        return False, f"`{command.name}` prints nothing of it"
    if goes is False:
        return False, "what it printed went elsewhere"
    if complaints.about(text, path) and fate.ended is not True:
        return False, "it could not be read"
    if fate.ended is False and len(command.operands) < 2:
        return False, "the command failed"
    for value, why in (
        (fate.ran, "nobody can tell whether the command ran"),
        (prints, f"nobody can tell what `{command.name}` printed of it"),
        (goes, "nobody can tell where its output went"),
        (fate.ended is not None or not silenced(command, action.commands) or None, "its errors were thrown away"),
        (fate.ended is not False or _blamed(command, path, text) or None, "the command failed in part"),
    ):
        if value is None:
            return None, why
    return True, ""


def _blamed(command: Command, path: str, text: str) -> bool:
    """Whether another operand is what the command failed on: it printed the rest."""
    return any(complaints.about(text, word.shape) for word in command.operands if word.shape != path)
