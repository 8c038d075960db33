"""What each setting takes, in the words of a settings file instead of a library's."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel, HttpUrl, StringConstraints
from pydantic.fields import FieldInfo

from aces_ci.settings.model import Settings

_EXAMPLES = {"skills": "skills/**", "looks": "3, 5, 8", "arms": "with_skill, baseline", "allow": "example.org"}


def known(path: tuple[str, ...]) -> list[str]:
    """Names that would have been right where the last part of `path` stands."""
    kind = _inner(_kind(path[:-1])[0])
    return list(kind.model_fields) if _is_model(kind) else []


def resolved(loc: tuple[int | str, ...]) -> tuple[str, ...]:
    """The path of keys in a library's location, which also names members of unions."""
    path: tuple[str, ...] = ()
    for part in loc:
        kind = _inner(_kind(path)[0])
        if (_is_model(kind) and isinstance(part, str) and "[" not in part) or isinstance(part, int):
            path = (*path, str(part))
    return path


def expected(path: tuple[str, ...]) -> str:
    """What the setting at `path` takes, e.g. `a whole number from 0 to 100`."""
    kind, constraints = _kind(path)
    return _words(kind, constraints, path)


def _words(kind: Any, constraints: list[Any], path: tuple[str, ...]) -> str:
    members = _members(kind)
    if len(members) > 1:
        said = [_words(member, constraints, path) for member in members if member is not NoneType]
        choices = [text.removeprefix("one of ") for text in said]
        text = f"one of {', '.join(choices)}" if said[0].startswith("one of ") else " or ".join(said)
        return f"{text}, or null" if NoneType in members else text
    kind, constraints = members[0], [*constraints, *_constraints(kind)]
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return _one_of(get_args(kind))
    if get_origin(kind) is tuple:
        return f"a list, e.g. [{_example(path, get_args(kind)[0])}]"
    if _is_model(kind):
        return "a mapping of settings"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _one_of(tuple(member.value for member in kind))
    if kind is HttpUrl:
        return "an address, e.g. http://localhost:11434"
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a number") + _bounds(constraints)
    pattern = next((found for item in constraints if (found := getattr(item, "pattern", None))), None)
    return f"text of the form {pattern}" if pattern else "text"


def _bounds(constraints: list[Any]) -> str:
    flat = list(_flat(constraints))
    low = next((item.ge for item in flat if isinstance(item, annotated_types.Ge)), None)
    above = next((item.gt for item in flat if isinstance(item, annotated_types.Gt)), None)
    high = next((item.le for item in flat if isinstance(item, annotated_types.Le)), None)
    if high is None:
        return f" of at least {low}" if low is not None else f" above {above}" if above is not None else ""
    return f" from {low} to {high}" if low is not None else f" above {above} and up to {high}"


def _flat(constraints: list[Any]) -> Iterator[Any]:
    for item in constraints:
        yield from _flat(item.metadata) if isinstance(item, FieldInfo) else (item,)


def _example(path: tuple[str, ...], item: Any) -> str:
    if text := _EXAMPLES.get(path[-1]) or _EXAMPLES.get(path[0]):
        return text
    return "{...}" if _is_model(_inner(item)) else "name"


def _one_of(values: tuple[object, ...]) -> str:
    words = [str(value) for value in values]
    return f"one of {', '.join(words)}" if len(words) > 1 or not words[0].isdigit() else words[0]


def _kind(path: tuple[str, ...]) -> tuple[Any, list[Any]]:
    """The annotation of a path, and what its field adds to it."""
    kind: Any = Settings
    constraints: list[Any] = []
    for name in path:
        kind = _inner(kind)
        info = kind.model_fields.get(name) if _is_model(kind) else None
        if info is not None:
            kind, constraints = info.annotation, list(info.metadata)
        elif get_origin(kind) is tuple and name.isdigit():
            kind, constraints = get_args(kind)[0], []
        else:
            return str, []
    return kind, constraints


def _inner(kind: Any) -> Any:
    """A kind without `null` beside it."""
    members = [member for member in _members(kind) if member is not NoneType]
    return members[0]


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _constraints(kind: Any) -> list[Any]:
    found = getattr(kind, "__metadata__", ())
    return [item for item in found if isinstance(item, FieldInfo | StringConstraints | annotated_types.BaseMetadata)]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
