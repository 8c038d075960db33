"""Graded deductions: how much is missing decides how many points go, on a scale that never runs flat."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from aces_ci.core.finding import Severity
from aces_ci.core.rule import Problem

QUIET, LOUD = 0.45, 0.75
"""Shares of a rule's points below which no line is written, and from which it is a warning."""


def shortfall(count: float, full: float) -> float:
    """1 for nothing, 0 from `full` on, logarithmic between: each halving costs about the same."""
    return max(0.0, 1.0 - log(1.0 + count) / log(1.0 + full))


def graded(
    share: float, most: float, *, message: str, line: int, path: str | None = None, hint: str | None = None
) -> Iterator[Problem]:
    """At most one problem that takes `share` of `most` points; small ones take them without a line."""
    if share <= 0.0:
        return
    yield Problem(
        message=message,
        line=line,
        path=path,
        hint=hint,
        deduction=share * most,
        severity=Severity.WARNING if share >= LOUD else Severity.INFO,
        quiet=share < QUIET,
    )
