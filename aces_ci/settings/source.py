"""YAML of ours with the place of every key: strict, small, no anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from aces_ci.core.errors import UsageError

SIZE_LIMIT = 64 * 1024
"""Bytes of a policy file (trust.md rule 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Plain data and where each key stands: path of keys -> (line, column), 1-based."""

    name: str
    data: Mapping[str, object]
    places: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    def place(self, path: tuple[str, ...]) -> tuple[int, int] | None:
        """The nearest known place of a path or of its parents."""
        for end in range(len(path), 0, -1):
            if found := self.places.get(path[:end]):
                return found
        return None

    def excerpt(self, line: int, column: int, width: int, note: str) -> tuple[str, ...]:
        """The source line and a marker under it, as in `design/ux.md` section 3."""
        if not 1 <= line <= len(self.lines):
            return ()
        gutter = " " * len(str(line))
        return (
            f"{line} | {self.lines[line - 1]}",
            f"{gutter} | {' ' * (column - 1)}{'^' * max(width, 1)} {note}".rstrip(),
        )


def read(raw: bytes, name: str) -> Document:
    """Parse one settings file.

    Raises:
        UsageError: too large, not UTF-8, not YAML, not a mapping, or with anchors. Located.
    """
    if len(raw) > SIZE_LIMIT:
        raise _bad(
            name,
            f"{name} is larger than 64 KB",
            why="settings that large hide something",
            do="make it smaller",
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(name, f"{name} is not UTF-8 (byte {error.start})", do="save it as UTF-8") from None
    lines = tuple(text.splitlines())
    try:
        tree = YAML(typ="rt", pure=True).load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        said = str(error.problem or error.context or "not YAML")
        raise _bad(name, f"{name}:{line}: {said}", line=line, do="fix the YAML on this line") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise _bad(name, f"{name} is not YAML: {str(error).splitlines()[0]}", do="fix the YAML") from None
    if tree is None:
        return Document(name=name, data={}, lines=lines)
    if not isinstance(tree, CommentedMap):
        raise _bad(name, f"{name}:1: not a mapping of settings", line=1, do="start with `version: 1`")
    places: dict[tuple[str, ...], tuple[int, int]] = {}
    data = _plain(tree, (), places, name)
    assert isinstance(data, dict)
    return Document(name=name, data=data, places=places, lines=lines)


def _plain(node: object, path: tuple[str, ...], places: dict[tuple[str, ...], tuple[int, int]], name: str) -> object:
    if isinstance(node, CommentedMap | CommentedSeq) and node.anchor.value is not None:
        line = node.lc.line + 1
        raise _bad(name, f"{name}:{line}: anchors are not allowed", line=line, do="write the value out")
    if isinstance(node, CommentedMap):
        out: dict[str, object] = {}
        for key, value in node.items():
            line, column = node.lc.key(key)
            places[(*path, str(key))] = (line + 1, column + 1)
            out[str(key)] = _plain(value, (*path, str(key)), places, name)
        return out
    if isinstance(node, CommentedSeq):
        for index in range(len(node)):
            line, column = node.lc.item(index)
            places[(*path, str(index))] = (line + 1, column + 1)
        return [_plain(value, (*path, str(index)), places, name) for index, value in enumerate(node)]
    # ruamel's scalars are subclasses of str, int and float that carry their writing; ours must not.
    for kind in (bool, int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node if node is None else str(node)


def _bad(name: str, message: str, *, line: int | None = None, why: str | None = None, do: str) -> UsageError:
    return UsageError(message, code="settings_file", path=name, line=line, why=why, do=do)
