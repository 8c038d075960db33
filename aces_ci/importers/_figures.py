"""Numbers out of somebody else's JSON: a number, or None with the reason."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported

LABEL = "imported, unverified"
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
_LIMIT = re.compile(
    r"rate.?limit|usage.?limit|(?:session|hourly|daily|weekly|monthly) limit|hit your limit|limit reached|quota"
    r"|overloaded|\b(?:429|529)\b|too many requests|credit balance",
    re.IGNORECASE,
)


def number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def limited(error: object) -> bool:
    """Whether an error speaks of a rate or usage limit: such a run is missing, not a zero."""
    return isinstance(error, str) and _LIMIT.search(error) is not None


def mapping(value: object) -> Mapping[str, Any]:
    """The mapping, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> Sequence[Mapping[str, Any]]:
    """The mappings of a list."""
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def mean(values: Sequence[float]) -> float | None:
    """None of nothing."""
    return sum(values) / len(values) if values else None


def figure(
    source: str, tool: str, skill: str, metric: str, arm: str, value: float | None, n: int = 0, because: str = ""
) -> Imported:
    """One figure. Where there is none the reason stands first, the label always."""
    why = f"{because}; {LABEL}" if because else LABEL
    return Imported(source=f"{source} ({tool})", skill=skill, metric=metric, arm=arm, value=value, n=n, because=why)
