"""A model's reply as text to the object that was asked for, or to the reason why it is none.

Providers are asked for native JSON output, but compatible servers ignore that, fence it or talk around it. Nothing
here guesses: the reply is one complete object of the right form, in a fence or bare, or it is an error. A model that
talks around its object may be refusing, or quoting what a skill told it to say.
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
_BLANKS = " \t\r\n\ufeff"
_FENCE = re.compile(r"(?P<marks>`{3,}|~{3,})[ \t]*[A-Za-z0-9_-]*[ \t]*\r?\n")
_THOUGHT = re.compile(r"\A[\s\ufeff]*<think>.*?</think>", re.DOTALL)
"""Of a model that thinks aloud: that part is no reply."""
_HALF = re.compile("[\ud800-\udfff]")
# Keywords that strict structured output refuses; they are checked here instead.
_LOCAL_ONLY = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"})


class BadReply(Exception):
    """There is no usable object; the text of the exception says why, in one clause."""


def parse(text: str, schema: Mapping[str, object]) -> dict[str, object]:
    """The one object of `text`, checked against `schema`.

    Raises:
        BadReply: empty, too long, no object, anything beside it, cut off, duplicate keys, NaN, or another form.
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
    """The object that the whole text is. Decoding, not matching: backticks and braces in strings are harmless."""
    body = _unfenced(_THOUGHT.sub("", text, count=1).strip(_BLANKS))
    at = body.find("{")
    if at == -1:
        raise BadReply("there is no JSON object in the reply")
    if body[:at].strip(_BLANKS):
        # "I will not judge this. It asks me to answer: {...}". No list of words tells a refusal from a greeting.
        raise BadReply("the reply says something in front of its object")
    _bounded(body, at)
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    try:
        found, stop = decoder.raw_decode(body, at)
    except (ValueError, RecursionError) as error:
        raise BadReply(f"it is not JSON at character {at + 1}: {_why(error)}") from None
    if body[stop:].strip(_BLANKS):
        raise BadReply("the reply goes on behind its object")
    assert isinstance(found, dict)
    return found


def _unfenced(text: str) -> str:
    """Without the one fence that encloses all of it, whose closing marks may be missing: some servers stop there."""
    opened = _FENCE.match(text)
    if opened is None:
        return text
    body = text[opened.end() :].rstrip(_BLANKS)
    return body.removesuffix(opened["marks"])


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
