"""What data must be before cases are read from it: JSON's own types, numbers that end, text that can be written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEPTH_LIMIT = 64
_Way = tuple[Any, Any] | None
"""(the way to the container, the key in it): pointers are only written out where something is wrong."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first thing that is wrong. `pointer` is None where no place helps."""

    pointer: str | None
    message: str
    hint: str


def flaw(data: object) -> Flaw | None:
    """None where data could be written as JSON in UTF-8 and given to a program as an argument."""
    stack: list[tuple[Any, int, _Way]] = [(data, 1, None)]
    while stack:
        node, level, way = stack.pop()
        if level > DEPTH_LIMIT:
            return Flaw(None, f"nested deeper than {DEPTH_LIMIT} levels", "flatten it")
        if isinstance(node, dict | list):
            # The last first, since the stack gives it back last: the first flaw of the text is the one that is named.
            stack += [(child, level + 1, (way, key)) for key, child in reversed(list(_children(node)))]
            keys = node if isinstance(node, dict) else ()
            found = next((said for key in keys if (said := _of_value(key))), None)
        else:
            found = _of_value(node)
        if found is not None:
            return Flaw(_pointer(way), *found)
    return None


def _children(node: Mapping[Any, Any] | list[Any]) -> Iterator[tuple[Any, Any]]:
    return iter(node.items()) if isinstance(node, Mapping) else iter(enumerate(node))


def _of_value(value: object) -> tuple[str, str] | None:
    if isinstance(value, str):
        return _of_text(value)
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            if abs(float(value)) < float("inf"):
                return None
        except OverflowError:
            pass
        shown = "not a finite number" if isinstance(value, float) else "too large for a number"
        return f"a value is {shown}", "write a number that JSON has, or text"
    return f"a value is of type {type(value).__name__}, which JSON does not have", "write it as text"


def _of_text(value: str) -> tuple[str, str] | None:
    if "\0" in value:
        return "a text holds a NUL character", "remove it: no program takes such an argument"
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return "a text holds half a surrogate pair", "write the whole character, or remove it"
    return None


def _pointer(way: _Way) -> str:
    parts: list[str] = []
    while way is not None:
        way, key = way
        parts.append(str(key).encode("utf-8", "replace").decode()[:60])
    return "".join(f"/{part}" for part in reversed(parts))
