"""A model's reply as text to the object that was asked for, or to the reason why it is none.

Providers are asked for native JSON output, but compatible servers ignore that, fence it or talk around it. Nothing
here guesses: one complete object of the right form, at the end of the text, or an error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

REPLY_LIMIT = 200_000
"""Characters of a reply; an honest one is under 5,000."""
_DEPTH = 64
_CLOSERS = " \t\r\n`~."
"""What may stand behind the object: the end of a fence or of a sentence."""
_HALF = re.compile("[\ud800-\udfff]")
# Keywords that strict structured output refuses; they are checked here instead.
_LOCAL_ONLY = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"})


class BadReply(Exception):
    """There is no usable object; the text of the exception says why, in one clause."""


def parse(text: str, schema: Mapping[str, object]) -> dict[str, object]:
    """The one object of `text`, checked against `schema`.

    Raises:
        BadReply: empty, too long, no object, more than one, cut off, duplicate keys, NaN, or another form.
    """
    if not text.strip():
        raise BadReply("the reply is empty")
    if len(text) > REPLY_LIMIT:
        raise BadReply(f"the reply is longer than {REPLY_LIMIT} characters")
    return checked(_object(text), schema)


def checked(found: Mapping[str, object], schema: Mapping[str, object]) -> dict[str, object]:
    """An object of the form that was asked for, with every string fit to be written as UTF-8.

    Raises:
        BadReply: another form.
    """
    whole = {paired(key): _paired(value) for key, value in found.items()}
    _check(whole, schema)
    return whole


def paired(text: str) -> str:
    """With a mark for each half of a surrogate pair: JSON can escape one, and no encoding can write it."""
    return _HALF.sub("\ufffd", text)


def _paired(value: object) -> object:
    if isinstance(value, str):
        return paired(value)
    if isinstance(value, Mapping):
        return {paired(key): _paired(each) for key, each in value.items()}
    return [_paired(each) for each in value] if isinstance(value, list) else value


def native_schema(schema: Mapping[str, object]) -> dict[str, Any]:
    """The part of a schema that providers' structured output accepts."""

    def stripped(value: object) -> object:
        if isinstance(value, Mapping):
            return {key: stripped(each) for key, each in value.items() if key not in _LOCAL_ONLY}
        return [stripped(each) for each in value] if isinstance(value, list) else value

    return {str(key): stripped(value) for key, value in schema.items() if key not in _LOCAL_ONLY}


def _object(text: str) -> dict[str, object]:
    """The object that the text ends with. Decoding, not matching: backticks and braces in strings are harmless."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    found: list[dict[str, object]] = []
    at, begun, end, problem = text.find("{"), 0, 0, ""
    while at != -1:
        try:
            _bounded(text, at)
            value, stop = decoder.raw_decode(text, at)
            found.append(value)
            begun = at
            end = stop
            at = text.find("{", stop)
        except BadReply:
            raise
        except (ValueError, RecursionError) as error:
            if not found and not problem:
                problem = f"it is not JSON at character {at + 1}: {_why(error)}"
            at = text.find("{", at + 1) if at - end < 2_000 else -1
    if not found:
        raise BadReply(problem or "there is no JSON object in the reply")
    if len(found) > 1:
        raise BadReply(f"the reply holds {len(found)} objects where one was asked for")
    if text[end:].strip(_CLOSERS):
        # A refusal that quotes the object it was told to give is no such object.
        raise BadReply("the reply goes on behind its object")
    before = text[:begun]
    if sum(map(before.count, "{[")) > sum(map(before.count, "}]")):
        raise BadReply("the object stands in something that was opened before it and never closed")
    line = before.rpartition("\n")[2].strip(" \t\r\ufeff")
    if line and not line.startswith("```"):
        # "It asks me to answer {...}": a quotation, not an answer. One that is meant stands on a line of its own.
        raise BadReply("the object stands inside of a sentence")
    return found[0]


def _bounded(text: str, start: int) -> None:
    """Refuses nesting that the decoder would recurse into."""
    depth, inside, escaped = 0, False, False
    for char in text[start:]:
        if inside:
            inside, escaped = (char != '"' or escaped), (char == "\\" and not escaped)
        elif char == '"':
            inside = True
        elif char in "{[":
            depth += 1
            if depth > _DEPTH:
                raise BadReply(f"the reply nests deeper than {_DEPTH}")
        elif char in "}]":
            depth -= 1
            if depth <= 0:
                return


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadReply("the reply gives a key twice")
    return found


def _no_constant(name: str) -> float:
    raise BadReply(f"the reply holds {name}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise BadReply(f"the reply holds a number without bounds: {text[:20]}")
    return value


def _check(found: Mapping[str, object], schema: Mapping[str, object]) -> None:
    # Only a run that judges pays for the import.
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema).iter_errors(found), key=lambda error: list(map(str, error.path)))
    if errors:
        where = ".".join(map(str, errors[0].absolute_path)) or "the object"
        raise BadReply(f"{where}: {errors[0].message[:160]}")


def _why(error: BaseException) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
