"""YAML events become plain values with offsets; size, depth and aliases stay bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml.events as fast
from ruamel.yaml import events as exact

from aces_ci.changes.yaml_scalar import CORE_TAGS, resolve

# Either library's events; they have the same fields.
_ALIAS = (fast.AliasEvent, exact.AliasEvent)
_DOCUMENT = (fast.DocumentStartEvent, exact.DocumentStartEvent)
_SCALAR = (fast.ScalarEvent, exact.ScalarEvent)
_SEQUENCE = (fast.SequenceStartEvent, exact.SequenceStartEvent)
_SEQUENCE_END = (fast.SequenceEndEvent, exact.SequenceEndEvent)
_MAPPING = (fast.MappingStartEvent, exact.MappingStartEvent)
_MAPPING_END = (fast.MappingEndEvent, exact.MappingEndEvent)
_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 24
MAX_NODES = 4_000
"""Nodes after aliases are expanded: a bomb of references is counted, never unfolded."""


@dataclass(frozen=True, slots=True)
class Node:
    value: object
    start: int
    end: int
    size: int = 1
    written: str = ""
    entries: tuple[tuple[Node, Node], ...] = ()


class Refused(Exception):
    """The document is outside of what is read here."""

    def __init__(self, kind: str, message: str, hint: str, at: int) -> None:
        super().__init__(message)
        self.kind, self.message, self.hint, self.at = kind, message, hint, at


class Builder:
    """Events to plain values; recursion is bounded by `MAX_DEPTH`."""

    def __init__(self, events: Iterator[Any], text: str, offset: int) -> None:
        self._events = events
        self._text = text
        self._offset = offset
        self._anchors: dict[str, Node] = {}
        self._nodes = 0
        self.duplicates: list[Refused] = []

    def document(self) -> Node | None:
        """The only document, or None for an empty block."""
        root: Node | None = None
        for event in self._events:
            if not isinstance(event, _DOCUMENT):
                continue
            if root is not None:
                self._refuse("yaml", "The frontmatter holds a second document after `...`.", "delete the `...`", event)
            root = self._node(next(self._events), 0)
        empty = root is not None and root.value is None and not root.written
        return None if empty else root

    def _node(self, event: Any, depth: int) -> Node:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            limit = f"deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else f"more than {MAX_NODES} values"
            self._refuse("bomb", f"The frontmatter is {limit} and is not read on.", "flatten it", event)
        if isinstance(event, _ALIAS):
            return self._alias(event)
        tag = str(event.tag) if getattr(event, "tag", None) else ""
        if tag and tag not in CORE_TAGS and tag != "!":
            self._refuse("tag", f"The tag `{tag[:60]}` means nothing in a skill.", "delete the tag", event)
        if isinstance(event, _SCALAR):
            node = self._scalar(event, tag)
        elif isinstance(event, _SEQUENCE):
            node = self._sequence(event, depth)
        else:
            node = self._mapping(event, depth)
        if event.anchor:
            self._anchors[str(event.anchor)] = node
        return node

    def _scalar(self, event: Any, tag: str) -> Node:
        if _SURROGATE.search(event.value):
            message = "A value holds half of a character (a lone surrogate), which no file can carry."
            self._refuse("control", message, "write the whole character, or leave it out", event)
        start, end = event.start_mark.index, event.end_mark.index
        value = resolve(event.value, plain=not event.style and bool(event.implicit[0]), tag=tag)
        written = self._text[start:end].rstrip("\n")
        return Node(value, self._offset + start, self._offset + start + len(written), 1, written)

    def _alias(self, event: Any) -> Node:
        target = self._anchors.get(str(event.anchor))
        if target is None:
            self._refuse("yaml", f"`*{event.anchor}` refers to no anchor.", "write the value out", event)
        self._nodes += target.size
        if self._nodes > MAX_NODES:
            self._refuse("bomb", f"Aliases unfold to more than {MAX_NODES} values.", "write the values out", event)
        start, end = event.start_mark.index + self._offset, event.end_mark.index + self._offset
        return Node(target.value, start, end, target.size, target.written, target.entries)

    def _sequence(self, event: Any, depth: int) -> Node:
        items: list[Node] = []
        end = event
        for end in self._events:
            if isinstance(end, _SEQUENCE_END):
                break
            items.append(self._node(end, depth + 1))
        size = 1 + sum(item.size for item in items)
        return self._closed([item.value for item in items], event, end, size, ())

    def _mapping(self, event: Any, depth: int) -> Node:
        entries: list[tuple[Node, Node]] = []
        value: dict[str, object] = {}
        end = event
        for end in self._events:
            if isinstance(end, _MAPPING_END):
                break
            if isinstance(end, _MAPPING + _SEQUENCE):
                self._refuse("yaml", "A list or a map stands where a field's name should.", "write `name: value`", end)
            key = self._node(end, depth + 1)
            item = self._node(next(self._events), depth + 1)
            name = key.value if isinstance(key.value, str) else key.written
            if name in value:
                self.duplicates.append(duplicate(name, key.start))
            value[name] = item.value
            entries.append((key, item))
        size = 1 + sum(key.size + item.size for key, item in entries)
        return self._closed(value, event, end, size, tuple(entries))

    def _closed(self, value: object, first: Any, last: Any, size: int, entries: tuple[tuple[Node, Node], ...]) -> Node:
        start, end = first.start_mark.index, last.end_mark.index
        length = len(self._text[start:end].rstrip())
        return Node(value, self._offset + start, self._offset + start + length, size, "", entries)

    def _refuse(self, kind: str, message: str, hint: str, event: Any) -> NoReturn:
        raise Refused(kind, message, hint, self._offset + event.start_mark.index)


def duplicate(name: str, at: int) -> Refused:
    message = f"The field `{name[:60]}` is written twice; readers keep the first, the last, or neither."
    return Refused("duplicate_key", message, "keep one of the two", at)
