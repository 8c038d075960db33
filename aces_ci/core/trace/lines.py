"""JSON lines as agents write them, torn and odd ones included: what can be read, and what was lost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LINE_LIMIT = 16 * 1024 * 1024
"""Bytes of one line; longer ones are not read. The longest real one, a session snapshot, is 0.1 MB."""


DEPTH_LIMIT = 100
"""Levels of lists and objects; real events have under 15, and deeper ones could exhaust whoever walks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The objects of a log in order, and one sentence for each line that is none."""

    objects: tuple[Mapping[str, Any], ...]
    lost: tuple[str, ...] = ()


def read(data: bytes, *, name: str = "the log") -> Lines:
    """Every line that is a JSON object. Blank lines and lines that are no JSON at all (notices that a CLI
    prints before its stream) are passed over; a line that begins like an object and cannot be read is told.
    """
    objects: list[Mapping[str, Any]] = []
    lost: list[str] = []
    rows = data.split(b"\n")
    for number, row in enumerate(rows, start=1):
        if not row.lstrip().startswith(b"{"):
            continue
        if len(row) > LINE_LIMIT:
            lost.append(f"line {number} of {name}: longer than {LINE_LIMIT} bytes")
            continue
        try:
            value = parsed(row.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            torn = number == len(rows)
            lost.append(f"line {number} of {name}: {'cut off' if torn else 'not JSON'}")
            continue
        if not shallow(value):
            lost.append(f"line {number} of {name}: nested deeper than {DEPTH_LIMIT}")
        elif isinstance(value, dict):
            objects.append(value)
    return Lines(objects=tuple(objects), lost=tuple(lost))


def parsed(text: str) -> Any:
    """The value of JSON that somebody else wrote; numbers that are none, or beyond any, stay as the text they were.

    Raises:
        ValueError: no JSON. RecursionError: nested too deep to be read.
    """
    return json.loads(text, parse_constant=str, parse_float=_finite)


def _finite(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def shallow(value: object) -> bool:
    """Whether a parsed value is nested no deeper than `DEPTH_LIMIT`. Walks without recursion."""
    level = [value]
    for _ in range(DEPTH_LIMIT):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return True
        level = inner
    return False


def text(value: object) -> str:
    """Text of what a message or a result holds: a string, a list of typed parts, or nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(text, value)))
    if isinstance(value, dict):
        for key in ("text", "content", "output"):
            if isinstance(value.get(key), str | list):
                return text(value[key])
        kind = value.get("type")
        return f"[{kind}]" if isinstance(kind, str) else ""
    return "" if value is None else json.dumps(value)


def record(value: object) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one: logs are read without trust in their shape."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str | None:
    """The value where it is text that says something, else None."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> int:
    """The value where it is a whole number that is not negative, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
