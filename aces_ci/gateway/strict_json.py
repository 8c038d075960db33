"""JSON without the liberties in which two parsers could differ.

The provider parses what we forward. Were we to accept a body that it reads differently (duplicate keys,
numbers out of range, half surrogates), the policy would look at one request and the provider run another.
"""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic_core import to_json

MAX_BYTES = 20 * 1024 * 1024
MAX_DEPTH = 48
MAX_VALUES = 400_000
_MAX_DIGITS = 20


class RefusedError(Exception):
    """A request that is not forwarded. `field` is a path into it, `reason` one clause."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


def load(raw: bytes) -> dict[str, Any]:
    """The one object that `raw` holds.

    Raises:
        RefusedError: not UTF-8, a byte order mark, not exactly one JSON object, a duplicate key, a number
            out of range, half a surrogate pair, or beyond a limit of this module.
    """
    if len(raw) > MAX_BYTES:
        raise RefusedError("body", f"more than {MAX_BYTES} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError("body", "not UTF-8") from None
    return parse(text)


def parse(text: str) -> dict[str, Any]:
    """The one object that `text` holds; refuses what `load` refuses, but for its length."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise RefusedError("body", f"not JSON: {error.msg[:60]}") from None
    except RecursionError:
        raise RefusedError("body", f"nested deeper than {MAX_DEPTH}") from None
    if not isinstance(value, dict):
        raise RefusedError("body", "not an object")
    _measure(value)
    return value


def dump(value: object) -> bytes:
    """The one spelling in which requests are forwarded: compact, UTF-8, keys in the order they came."""
    return to_json(value)


def canonical(value: object) -> bytes:
    """A spelling that does not depend on the order of keys, for digests."""
    return json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":")).encode("ascii")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RefusedError("body", f"the key {key[:40]!r} occurs twice in one object")
            seen.add(key)
    return value


def _constant(name: str) -> Any:
    raise RefusedError("body", f"{name} is not JSON")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or len(text) > 40:
        raise RefusedError("body", "a number is out of range")
    return value


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise RefusedError("body", "a number is out of range")
    return int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_number, parse_int=_integer
)


def _measure(root: dict[str, Any]) -> None:
    """Depth, number of values and well-formed text; without recursion, so that depth cannot hurt us."""
    level: list[Any] = [root]
    count = 0
    for _ in range(MAX_DEPTH + 1):
        if not level:
            return
        count += len(level)
        if count > MAX_VALUES:
            raise RefusedError("body", f"more than {MAX_VALUES} values")
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                _text("".join(value))
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
            elif isinstance(value, str):
                _text(value)
        level = below
    if level:
        raise RefusedError("body", f"nested deeper than {MAX_DEPTH}")


def _text(value: str) -> None:
    if value.isascii():
        return
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError("body", "half a surrogate pair") from None
