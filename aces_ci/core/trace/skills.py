"""Which skills an agent read: by a skill tool, by a file tool, or by the shell."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.command import Command
from aces_ci.core.scripts.wrappers import INTERPRETERS
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.tools import Deed

_MANIFEST = "skill.md"
_INSIDE = re2.compile(r"(?i)[\w@%+.,:~$/*?-]*SKILL\.md")
_DECLARED = re2.compile(r"(?m)^name:[ \t]*[\"']?([\w.@:/ -]{1,100}?)[\"']?[ \t]*$")
_READERS = frozenset(
    {"cat", "head", "tail", "sed", "awk", "gawk", "less", "more", "nl", "bat", "batcat", "tac", "view", "strings"}
    | {"od", "xxd", "fold", "glow", "mdcat", "rich", "pandoc", "cut"}
)
_SEARCHERS = frozenset({"grep", "egrep", "rg", "ag"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRead:
    """One reading of a SKILL.md. `name` is the folder's or the declared one; None where neither is known."""

    action: int
    step: int
    name: str | None
    worked: bool
    """Whether the content came back: a failed read activates nothing."""


def reads(actions: Sequence[Action]) -> tuple[SkillRead, ...]:
    """Every reading in order. Mentioning a path, listing it or searching for its name is no reading."""
    return tuple(read for action in actions for read in _of(action))


def _of(action: Action) -> Iterator[SkillRead]:
    if action.deed is Deed.SKILL and action.skill:
        yield _read(action, action.skill)
    elif action.deed is Deed.READ and action.path and _manifest(action.path):
        yield _read(action, _folder(action.path) or _declared(action))
    elif action.deed is Deed.SHELL:
        names = dict.fromkeys(_shell(action))
        for name in names:
            yield _read(action, name)


def _read(action: Action, name: str | None) -> SkillRead:
    worked = action.output is not None and action.failed is not True
    return SkillRead(action=action.number, step=action.step, name=name, worked=worked)


def _shell(action: Action) -> Iterator[str | None]:
    folder = action.folder or ""
    for command in action.commands:
        if command.name == "cd":
            target = command.operands[0].shape if command.operands else ""
            folder = posixpath.join(folder, target)
            continue
        for path in _paths(command):
            if "*" in path or "?" in path or "{}" in path or not _manifest(path):
                yield from _all_declared(action)
                continue
            yield _folder(posixpath.join(folder, path)) or _declared(action)


def _paths(command: Command) -> Iterator[str]:
    name = command.name or ""
    for redirect in command.redirects:
        if redirect.operator == "<" and redirect.target and _manifest(redirect.target.shape):
            yield redirect.target.shape
    operands = [word.shape for word in command.operands]
    if name in _READERS:
        yield from (path for path in operands if _manifest(path) or path == "{}")
    elif name in _SEARCHERS and len(operands) > 1:
        yield from (path for path in operands[1:] if _manifest(path))
    elif name in INTERPRETERS or name.startswith("python3."):
        texts = [word.shape for word in command.arguments]
        texts += [redirect.body for redirect in command.redirects if redirect.body]
        for text in texts:
            if _MANIFEST in text.lower():
                yield from (found for found in _INSIDE.findall(text))


def _manifest(path: str) -> bool:
    """Whether a path ends in a file of that name, in any letter case."""
    name = path[-len(_MANIFEST) :].lower()
    return name == _MANIFEST and path[: -len(_MANIFEST)][-1:] in {"", "/"}


def _folder(path: str) -> str | None:
    parent = posixpath.basename(posixpath.dirname(posixpath.normpath(path)))
    return parent if parent not in {"", ".", "..", "~"} and "$" not in parent and "*" not in parent else None


def _declared(action: Action) -> str | None:
    found = _DECLARED.search(action.output or "")
    return found.group(1).strip() if found else None


def _all_declared(action: Action) -> Iterator[str]:
    yield from (name.strip() for name in _DECLARED.findall(action.output or ""))
