"""What the variables and files of a script hold, at one point of it, that came from a place that matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase

import re2

MAX_HELD = 8
"""Sources that one variable or file is remembered to have."""
_USED = re2.compile(r"\$\{?!?(\w+)")
"""`$K`, `${K:0:9}`, but not `${#K}`, which is a length."""
_EVERYTHING = frozenset({"", "/", "~", "$HOME", "/tmp", "/var/tmp", "$TMPDIR"})
"""Folders in which so much lies that to take them says nothing of one file."""


class Content(StrEnum):
    """Why it matters where it goes."""

    PRIVATE = "private"
    """Nobody else's business once it is sent on."""
    NAMES = "names"
    """The paths of private files, one by one."""
    FETCHED = "fetched"
    """Downloaded by this script."""
    DECODED = "decoded"
    """Was written in a form that no reader understands."""
    WRITTEN = "written"
    """Written out in this script; `origin` is the text itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One thing that is held. `origin` is the path, or what the message calls it."""

    content: Content
    origin: str
    part: bool = False
    """Whether one value was picked out of it: how a setting is read."""
    by: int = 0
    """Index of the command that brought it in."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """A point of a script. Nothing changes in place, so that every command keeps its own."""

    variables: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    files: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)

    def used(self, text: str) -> Iterator[Held]:
        """What the variables hold that a text of shell names."""
        if self.variables and "$" in text:
            for name in _USED.findall(text):
                yield from self.variables.get(name, ())

    def at(self, path: str) -> Iterator[Held]:
        """What lies in a file, in a folder, or under the names that a pattern matches."""
        if not self.files:
            return
        path = _plain(path)
        for known, held in self.files.items():
            if known == path or known.startswith(f"{path}/") or path.startswith(f"{known}/"):
                yield from held if known == path or path not in _EVERYTHING else ()
            elif "*" in path and fnmatchcase(known, path):
                yield from held

    def named(self, path: str) -> tuple[Held, ...]:
        """What lies in the file of just that name."""
        return self.files.get(_plain(path), ()) if self.files else ()

    def below(self, folder: str) -> Iterator[Held]:
        """What lies in a folder that commands run in; "" is the one that the script started in."""
        for path, held in self.files.items():
            outside = path.startswith(("/", "~", "$")) if not folder else not f"{path}/".startswith(f"{folder}/")
            yield from () if outside else held

    def naming(self, name: str, held: Iterable[Held]) -> Holdings:
        """With a variable set anew."""
        return replace(self, variables=_with(self.variables, name, held))

    def storing(self, path: str, held: Iterable[Held]) -> Holdings:
        """With a file written anew."""
        return replace(self, files=_with(self.files, _plain(path), held))


NOTHING = Holdings()


def _plain(path: str) -> str:
    path = path.removeprefix("./")
    return path.rstrip("/") or path


def _with(known: Mapping[str, tuple[Held, ...]], name: str, held: Iterable[Held]) -> Mapping[str, tuple[Held, ...]]:
    kept = tuple(dict.fromkeys(held))[:MAX_HELD]
    if kept:
        return {**known, name: kept}
    return {key: value for key, value in known.items() if key != name} if name in known else known
