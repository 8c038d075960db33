"""Checks on the final answer, or on what tools gave out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import UnknownType, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from aces_ci.core.grading.subject import Subject
from aces_ci.core.suites.answer_schema import Unusable, usable
from aces_ci.tiers.checks_files import text_of_file
from aces_ci.tiers.checks_result import CannotTell, Told, needed, pattern, shown


def contains(subject: Subject, args: Mapping[str, object]) -> Told:
    """Every one of the values occurs."""
    text, cites = _text(subject, args)
    missing = [value for value in _values(args) if _fold(value, args) not in _fold(text, args)]
    if missing:
        return Told(False, f"{shown(missing[0])!r} does not occur", cites)
    return Told(True, "it occurs", cites)


def lacks(subject: Subject, args: Mapping[str, object]) -> Told:
    """None of the values occurs."""
    text, cites = _text(subject, args)
    found = [value for value in _values(args) if _fold(value, args) in _fold(text, args)]
    if found:
        return Told(False, f"{shown(found[0])!r} occurs", cites)
    return Told(True, "it does not occur", cites)


def matches(subject: Subject, args: Mapping[str, object]) -> Told:
    """The pattern is found."""
    text, cites = _text(subject, args)
    found = pattern(needed(args, "pattern"), ignore_case=bool(args.get("ignore_case"))).search(text)
    return Told(found is not None, "the pattern matches" if found else "the pattern does not match", cites)


def avoids(subject: Subject, args: Mapping[str, object]) -> Told:
    """The pattern is not found."""
    told = matches(subject, args)
    return Told(not told.passed, told.because, told.cites)


def equals(subject: Subject, args: Mapping[str, object]) -> Told:
    """Equal but for white space around it."""
    text, cites = _text(subject, args)
    same = _fold(text, args).strip() == _fold(_values(args)[0], args).strip()
    return Told(same, "it is equal" if same else f"it is {shown(text)!r}", cites)


def schema(subject: Subject, args: Mapping[str, object]) -> Told:
    """The answer, or a file, is JSON that the schema accepts. A code fence around the answer does not
    count.
    """
    given = args.get("schema")
    if not isinstance(given, dict):
        raise CannotTell("the check has no object `schema`")
    try:
        applied = usable(given)
    except Unusable as broken:
        raise CannotTell(str(broken)) from None
    path = args.get("path")
    cites: tuple[int, ...] = ()
    if isinstance(path, str):
        text = text_of_file(subject, path)
        if text is None:
            return Told(False, f"{path} does not exist, or is not text")
    else:
        text, cites = _text(subject, args)
    try:
        value = json.loads(_unfenced(text))
    except (ValueError, RecursionError):
        return Told(False, "it is not JSON", cites)
    try:
        # Nothing is referred to any more; the empty registry holds even where that was wrong.
        error = next(iter(_Validator(applied, registry=Registry()).iter_errors(value)), None)
    except (Unresolvable, UnknownType, RecursionError) as broken:
        raise CannotTell(f"the schema cannot be applied: {shown(str(broken))}") from None
    if error is None:
        return Told(True, "the schema accepts it", cites)
    return Told(False, f"{error.json_path}: {shown(error.message)}", cites)


def _text(subject: Subject, args: Mapping[str, object]) -> tuple[str, tuple[int, ...]]:
    where = args.get("where", "answer")
    if where == "answer":
        found = subject.trajectory.answer
        return (found[1], (found[0],)) if found else ("", ())
    if where == "output":
        outputs = [(action.step, action.output) for action in subject.actions if action.output]
        return "\n".join(text for _, text in outputs), tuple(step for step, _ in outputs)
    raise CannotTell(f"`where` is {shown(str(where))!r}, not answer or output")


def _values(args: Mapping[str, object]) -> list[str]:
    values = args.get("values", args.get("value"))
    listed = values if isinstance(values, list | tuple) else [values]
    texts = [str(value) for value in listed if isinstance(value, str | int | float) and str(value)]
    if not texts:
        raise CannotTell("the check has no text `value`")
    return texts


def _fold(text: str, args: Mapping[str, object]) -> str:
    return text.casefold() if args.get("ignore_case") else text


def _unfenced(text: str) -> str:
    lines = text.strip().splitlines()
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return text


def _re2_pattern(validator: Any, given: str, instance: object, schema: object) -> Any:
    """`pattern` by RE2: a schema comes with the evals, and Python's own engine can be made to hang."""
    if isinstance(instance, str) and not pattern(given).search(instance):
        yield ValidationError(f"does not match {shown(given)}")


def _few_unique(validator: Any, wanted: bool, instance: object, schema: object) -> Any:
    """`uniqueItems` compares all pairs: of a long answer nobody waits for that."""
    if isinstance(instance, list) and len(instance) > UNIQUE_LIMIT:
        raise CannotTell(f"`uniqueItems` of more than {UNIQUE_LIMIT} items is not compared")
    yield from Draft202012Validator.VALIDATORS["uniqueItems"](validator, wanted, instance, schema) or ()


UNIQUE_LIMIT = 1_000
_extend: Any = extend
_Validator: Any = _extend(Draft202012Validator, {"pattern": _re2_pattern, "uniqueItems": _few_unique})
