"""Graded deductions: how much is missing decides how many points go, on a scale that never runs flat."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from aces_ci.core.finding import Severity
from aces_ci.core.rule import Problem


def shortfall(count: float, full: float) -> float:
    """1 for nothing, 0 from `full` on, logarithmic between: each halving costs about the same."""
    return max(0.0, 1.0 - log(1.0 + count) / log(1.0 + full))


def graded(
    share: float,
    most: float,
    *,
    message: str,
    line: int,
    title: str | None = None,
    hint: str | None = None,
    quiet: float = 0.6,
    loud: float = 0.9,
) -> Iterator[Problem]:
    """At most one problem, which takes `share` of `most` points.

    Below the share `quiet` it takes them without a line for the reader; from `loud` on it is a warning. A rule whose
    own title says that something is missing altogether gives a `title` where it is there in part, and a `hint` where
    its own would have it begun.
    """
    if share <= 0.0:
        return
    yield Problem(
        message=message,
        line=line,
        once=True,
        title=title,
        hint=hint,
        deduction=share * most,
        severity=Severity.WARNING if share >= loud else Severity.INFO,
        quiet=share < quiet,
    )
