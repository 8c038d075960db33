"""Numbers out of somebody else's JSON: a number, or None with the reason."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported

LABEL = "imported, unverified"
LONGEST = 300
"""Characters of a name or reason."""
ARMS: Mapping[str, str] = {
    "with_skill": "with_skill",
    "with-skill": "with_skill",
    "new_skill": "with_skill",
    "with": "with_skill",
    "without_skill": "baseline",
    "without-skill": "baseline",
    "without": "baseline",
    "old_skill": "previous",
}
"""Their names of arms to ours."""
# A number alone proves nothing: a traceback speaks of line 429, an agent of 529 files.
_LIMIT = re.compile(
    r"rate.?limit|usage.?limit|(?:session|hourly|daily|weekly|monthly) limit|hit your limit|too many requests"
    r"|limit (?:was )?(?:reached|exceeded)|credit balance|resource.?exhausted"
    r"|insufficient.?quota|quota.{0,20}(?:exceeded|reached|exhausted)|exceeded.{0,40}quota"
    r"|overloaded.?error|\b(?:api|model|server|service|engine)\W+(?:\w+\W+){0,3}overloaded"
    r"|\b(?:http|status|code|error)(?:[ _-]?code)?\W{0,3}(?:http\W{0,3})?(?:429|529)\b"
    r"|\b(?:429|529) (?:overloaded|error)",
    re.IGNORECASE,
)
_OWN_LIMIT = re.compile(r"(?:disk|storage|inode)s?\W+quota|(?:turn|recursion|depth|time|step)s? limit", re.IGNORECASE)
"""Limits of the machine or of the run, not of whoever answers."""
_CODES = frozenset({429, 529, "429", "529"})
_CODE_KEYS = frozenset({"code", "status", "status_code", "statuscode", "http_status", "httpstatus"})
_PARTS = 200
"""Parts of one error that are looked at."""


def number(value: object) -> float | None:
    """A finite number, or None: also for a whole one of more digits than any figure has."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        told = float(value)
    except OverflowError:
        return None
    return told if math.isfinite(told) else None


def count(value: object) -> int:
    """A number of runs or cases, 0 where it is none."""
    told = number(value)
    return int(told) if told is not None and 0 <= told < 1e9 else 0


def label(value: object, other: str = "?") -> str:
    """A name as text that can be shown and written; `other` where there is none."""
    shown = value if isinstance(value, str) else f"{value}"[:40] if number(value) is not None else ""
    return (shown or other)[:LONGEST].replace("\0", "").encode("utf-8", "replace").decode()


def limited(error: object) -> bool:
    """Whether an error speaks of a rate or usage limit, as text, as an object or as a list of either: such a run is
    missing, not a zero.
    """
    stack, seen = [error], 0
    while stack and seen < _PARTS:
        node, seen = stack.pop(), seen + 1
        if isinstance(node, Mapping):
            if any(str(key).casefold() in _CODE_KEYS and _is_code(value) for key, value in node.items()):
                return True
            stack += node.values()
        elif isinstance(node, list | tuple):
            stack += node
        elif isinstance(node, str) and _LIMIT.search(node) and not _OWN_LIMIT.search(node):
            return True
    return False


def _is_code(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | str) and value in _CODES


def mapping(value: object) -> Mapping[str, Any]:
    """The mapping, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> Sequence[Mapping[str, Any]]:
    """The mappings of a list."""
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def mean(values: Sequence[float]) -> float | None:
    """None of nothing, and where the sum is no number any more."""
    return number(sum(values) / len(values)) if values else None


def figure(
    source: str, tool: str, skill: str, metric: str, arm: str, value: float | None, n: int = 0, because: str = ""
) -> Imported:
    """One figure. Where there is none the reason stands first, the label always."""
    # Whatever the other tool wrote, the label is not what is cut off.
    why = f"{because[: LONGEST - len(LABEL) - 2]}; {LABEL}" if because else LABEL
    return Imported(
        source=f"{label(source)} ({label(tool)})",
        skill=label(skill, ""),
        metric=label(metric),
        arm=label(arm, "unknown"),
        value=value,
        n=n,
        because=label(why),
    )
