"""Paths of SKILL.md files, and the skills that they belong to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import re2

MANIFEST = "skill.md"
_BRACES = re2.compile(r"\{([^{}]*,[^{}]*)\}")
_OPEN = re2.compile(r"[*?\[$`]|\{\}")
_LINE = re2.compile(r"(?im)^\s*(?:File: |## |--- )?([\w@%+.,:~$/-]*?)SKILL\.md\b")
_LIMIT = 64


def manifest(path: str) -> bool:
    """Whether a path ends in a file of that name, in any letter case."""
    name = path[-len(MANIFEST) :].lower()
    return name == MANIFEST and path[: -len(MANIFEST)][-1:] in {"", "/", ":"}


def folder(path: str) -> str | None:
    """The skill's folder; None where the path does not say it."""
    parent = posixpath.basename(posixpath.dirname(posixpath.normpath(path)))
    return parent if parent not in {"", ".", "..", "~"} and not _OPEN.search(parent) else None


def unknown(path: str) -> bool:
    """Whether only the run knows which file it is: a pattern, a variable, what `find` found."""
    return _OPEN.search(path) is not None


def written_out(path: str) -> tuple[str, ...]:
    """The paths that braces stand for: `{a,b}/SKILL.md` is two."""
    found = [path]
    while len(found) < _LIMIT and any(_BRACES.search(each) for each in found):
        found = [one for each in found for one in _opened(each)]
    return tuple(found)


def _opened(path: str) -> Iterator[str]:
    match = _BRACES.search(path)
    if match is None:
        yield path
        return
    for choice in match.group(1).split(","):
        yield path[: match.start()] + choice + path[match.end() :]


def listed(output: str) -> Iterator[tuple[str, str]]:
    """(folder's path, skill) of every SKILL.md that begins a line of an output, as searches and many readers print."""
    for place in _LINE.findall(output):
        path = place.strip().rstrip("/")
        name = posixpath.basename(path)
        if name and name not in {".", ".."}:
            yield path, name
