"""YAML of ours with the place of every key: strict, small, no anchors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from aces_ci.core.errors import UsageError
from aces_ci.core.policy_file import SIZE_LIMIT

_DEPTH = 64
_WHY = "settings are read as a whole or not at all: a part could open a gate unnoticed"
_BRACKET = re.compile(r"[\[\]{}]")
_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[\[{].*|.+?(?=\s+#|\s*$)")
_INSIDE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^,\]}]+?(?=\s*(?:[,\]}]|\s#|$))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Plain data and where each key stands: path of keys -> (line, column), 1-based."""

    name: str
    data: Mapping[str, object]
    places: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    values: Mapping[tuple[str, ...], tuple[int, int, int]] = field(default_factory=dict)
    """Where each written value stands: line, column and width on that line."""

    def span(self, path: tuple[str, ...]) -> tuple[int, int, int] | None:
        """Line, column and width of the value at a path; of its key where nothing is written."""
        if found := self.values.get(path):
            return found
        place = self.place(path)
        return (*place, len(path[-1]) if path in self.places else 1) if place else None

    def place(self, path: tuple[str, ...]) -> tuple[int, int] | None:
        """The nearest known place of a path or of its parents."""
        for end in range(len(path), 0, -1):
            if found := self.places.get(path[:end]):
                return found
        return None

    def excerpt(self, line: int, column: int, width: int, note: str) -> tuple[str, ...]:
        """The source line and a marker under it."""
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
    _shallow(text, name)
    try:
        tree = YAML(typ="rt", pure=True).load(text)
    except RecursionError:
        raise _deep(name) from None
    except MarkedYAMLError as error:
        raise _broken(error, name, lines) from None
    except (YAMLError, ValueError) as error:
        said = str(error).splitlines()[0]
        raise _bad(name, f"{name} is not YAML: {said}", why=_WHY, do="fix the YAML") from None
    if tree is None:
        return Document(name=name, data={}, lines=lines)
    if not isinstance(tree, CommentedMap):
        raise _bad(name, f"{name}:1: not a mapping of settings", line=1, do="start with `version: 1`")
    reading = _Reading(name, lines)
    data = reading.plain(tree, ())
    assert isinstance(data, dict)
    return Document(name=name, data=data, places=reading.places, lines=lines, values=reading.values)


class _Reading:
    """The library's tree to plain data, and where each part of it stands."""

    def __init__(self, name: str, lines: tuple[str, ...]) -> None:
        self._name, self._lines = name, lines
        self.places: dict[tuple[str, ...], tuple[int, int]] = {}
        self.values: dict[tuple[str, ...], tuple[int, int, int]] = {}

    def plain(self, node: object, path: tuple[str, ...], *, flow: bool = False) -> object:
        """A node with everything below it."""
        if isinstance(node, CommentedMap | CommentedSeq):
            flow = flow or bool(node.fa.flow_style())
            if node.anchor.value is not None:
                raise self._anchor(node)
        if isinstance(node, CommentedMap):
            out: dict[str, object] = {}
            for key, value in node.items():
                own = (*path, str(key))
                self._put(own, node.lc.key(key), node.lc.value(key), value, flow=flow)
                out[str(key)] = self.plain(value, own, flow=flow)
            return out
        if isinstance(node, CommentedSeq):
            for index, value in enumerate(node):
                self._put((*path, str(index)), node.lc.item(index), node.lc.item(index), value, flow=flow)
            return [self.plain(value, (*path, str(index)), flow=flow) for index, value in enumerate(node)]
        # ruamel's scalars are subclasses of str, int and float that carry their writing; ours must not.
        for kind in (bool, int, float, str):
            if isinstance(node, kind):
                return kind(node)
        return node if node is None else str(node)

    def _put(
        self, path: tuple[str, ...], at: tuple[int, int], value: tuple[int, int], node: object, *, flow: bool
    ) -> None:
        self.places[path] = (at[0] + 1, at[1] + 1)
        line, column = value
        if node is None or line >= len(self._lines):
            return
        rest = self._lines[line][column:]
        width = _nest(rest) if rest[:1] in ("[", "{") else 0
        if not width:
            found = (_INSIDE if flow else _VALUE).match(rest)
            width = len(found[0]) if found else 1
        self.values[path] = (line + 1, column + 1, width)

    def _anchor(self, node: CommentedMap | CommentedSeq) -> UsageError:
        wanted = f"&{node.anchor.value}"
        line, column = next(
            ((number, text.index(wanted)) for number, text in enumerate(self._lines) if wanted in text),
            (node.lc.line, node.lc.col),
        )
        return _bad(
            self._name,
            f"{self._name}:{line + 1}: anchors are not allowed",
            line=line + 1,
            why="a value that stands in two places is read wrongly by people",
            do="write the value out",
            excerpt=Document(name=self._name, data={}, lines=self._lines).excerpt(
                line + 1, column + 1, len(wanted), ""
            ),
        )


def _nest(text: str) -> int:
    """Characters up to the bracket that closes the first one; 0 where it closes on another line."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth == 0:
            return match.end()
    return 0


def _shallow(text: str, name: str) -> None:
    """Refuse a nest of brackets before the library looks ahead over all of it."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(depth - 1, 0)
        if depth > _DEPTH:
            raise _deep(name, text.count("\n", 0, match.start()) + 1)


def _deep(name: str, line: int | None = None) -> UsageError:
    where = f"{name}:{line}" if line else name
    return _bad(
        name,
        f"{where}: values are nested too deep",
        line=line,
        why=f"no setting is nested deeper than 5, and nothing is read beyond {_DEPTH}",
        do="flatten it; all keys: aces-ci settings",
    )


def _broken(error: MarkedYAMLError, name: str, lines: tuple[str, ...]) -> UsageError:
    mark = error.problem_mark or error.context_mark
    said = " ".join(str(error.problem or error.context or "not YAML").split())
    line, column = (mark.line, mark.column) if mark else (0, 0)
    opened = error.context_mark
    if opened is not None and (line >= len(lines) or not lines[line][column:].strip()):
        # What was never closed is mended where it was opened, not at the end of the file.
        line, column = opened.line, opened.column
    line = min(line, max(len(lines) - 1, 0))
    return _bad(
        name,
        f"{name}:{line + 1}: {said}",
        line=line + 1,
        why=_WHY,
        do="fix the YAML on this line",
        excerpt=Document(name=name, data={}, lines=lines).excerpt(line + 1, column + 1, 1, ""),
    )


def _bad(
    name: str, message: str, *, line: int | None = None, why: str | None = None, do: str, excerpt: tuple[str, ...] = ()
) -> UsageError:
    return UsageError(message, code="settings_file", path=name, line=line, why=why, do=do, excerpt=excerpt)
