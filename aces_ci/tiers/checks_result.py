"""What a check tells, and how its arguments are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import re2

_QUIET = re2.Options()
_QUIET.log_errors = False
"""A pattern that is none is told as *cannot tell*; RE2 would print it as well."""


@dataclass(frozen=True, slots=True)
class Told:
    """Passed or not, a clause, the steps it rests on."""

    passed: bool
    because: str
    cites: tuple[int, ...] = ()


class CannotTell(Exception):
    """The arguments, or what was collected, do not allow an answer."""


def needed(args: Mapping[str, object], key: str) -> str:
    """A text argument. Raises CannotTell where it is missing or no text."""
    value = args.get(key)
    if not isinstance(value, str) or not value:
        raise CannotTell(f"the check has no text `{key}`")
    return value


def pattern(text: str, *, ignore_case: bool = False) -> Any:
    """A compiled RE2 pattern, multi-line. Raises re2.error where it is none."""
    return re2.compile(f"(?{'im' if ignore_case else 'm'}){text}", _QUIET)


def shown(text: str) -> str:
    """A text short enough for a clause."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
