"""Values put into the text of a JSON file: every byte that stands there stays, escapes, numbers and line ends alike.

Positions come from the standard library's own decoder. The text has been parsed before: it is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Span:
    """One value: its key (None in a list), where it starts, where the text after it starts."""

    key: str | None
    start: int
    end: int


def first(text: str) -> int:
    """Where the document's value starts, behind a byte order mark and white space."""
    return _skip(text, 1 if text.startswith("\ufeff") else 0)


def children(text: str, start: int) -> Iterator[Span]:
    """The values of the object or list that starts here."""
    is_object = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key = None
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield Span(key, at, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def member(text: str, start: int, key: str) -> Span | None:
    """The value of a key of the object that starts here."""
    return next((span for span in children(text, start) if span.key == key), None)


def appended(text: str, start: int, values: Sequence[object]) -> str:
    """The text with these behind the values of the list that starts here."""
    for value in values:
        text = _put(text, start, None, value)
    return text


def assigned(text: str, start: int, key: str, value: object) -> str:
    """The text with this value under a key of the object that starts here."""
    found = member(text, start, key)
    if found is None:
        return _put(text, start, key, value)
    shown = _dump(value, text, _margin(text, found.start) or "")
    return f"{text[: found.start]}{shown}{text[found.end :]}"


def _put(text: str, start: int, key: str | None, value: object) -> str:
    """One value, with its key in an object, behind those of a container, laid out as they are."""
    inside = list(children(text, start))
    named = "" if key is None else f"{json.dumps(key)}: "
    line = "\r\n" if "\r\n" in text else "\n"
    if inside:
        at = inside[-1].end
        margin = _margin(text, inside[-1].start)
        if margin is None:
            return f"{text[:at]}, {named}{_dump(value, text, None)}{text[at:]}"
        return f"{text[:at]},{line}{margin}{named}{_dump(value, text, margin)}{text[at:]}"
    if "\n" not in text[:start].strip(_SPACE + "\ufeff"):
        return f"{text[: start + 1]}{named}{_dump(value, text, None)}{text[start + 1 :]}"
    outer = _margin(text, start) or ""
    margin = outer + _step(text)
    shown = f"{line}{margin}{named}{_dump(value, text, margin)}"
    tail = text[start + 1 :]
    closes = "" if "\n" in tail[: _skip(tail, 0)] else line + outer
    return f"{text[: start + 1]}{shown}{closes}{tail}"


def _margin(text: str, at: int) -> str | None:
    """The white space that a line begins with; None where something else stands before this value's key on it."""
    head = text[text.rfind("\n", 0, at) + 1 : at]
    space = head[: len(head) - len(head.lstrip(" \t"))]
    rest = head[len(space) :]
    if "\n" not in text[:at] or (rest and not (rest.startswith('"') and rest.rstrip().endswith(":"))):
        return None
    return space if not rest or rest.count('":') == 1 else None


def _step(text: str) -> str:
    """The indent that the file has."""
    second = next(iter(text.splitlines()[1:2]), "")
    return second[: len(second) - len(second.lstrip(" \t"))] or "  "


def _dump(value: object, text: str, margin: str | None) -> str:
    """A value on one line, or with every further line behind the margin."""
    indent = None if margin is None else _step(text)
    shown = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    if not _encodes(shown):
        shown = json.dumps(value, indent=indent, allow_nan=False)
    line = "\r\n" if "\r\n" in text else "\n"
    return shown if margin is None else shown.replace("\n", line + margin)


def _encodes(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
