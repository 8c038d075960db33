"""Where to look: one case or one harness that breaks alone, which the pooled test hides. Never a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aces_ci.statistics.stratified import TOLERANCE, Cell, exact_test

CASE_LEVEL = 0.05
"""Up to this share of cases is flagged by chance when nothing changed."""
HARNESS_LEVEL = 0.025


def worse_cases(cells: Mapping[str, Sequence[Cell]], level: float = CASE_LEVEL) -> tuple[str, ...]:
    """Cases whose own exact one-sided p says that arm A is lower; at 3 attempts only 3/3 against 0/3 can."""
    return tuple(case for case, strata in cells.items() if exact_test(strata).p_lower <= level + TOLERANCE)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's (1979) adjusted p-values."""
    adjusted, running = {}, 0.0
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        running = max(running, min(1.0, (len(p_values) - rank) * p))
        adjusted[name] = running
    return adjusted


def worse_harnesses(cells: Mapping[str, Sequence[Cell]], level: float = HARNESS_LEVEL) -> tuple[str, ...]:
    """Harnesses that look worse on their own after Holm's correction; empty for a single harness."""
    if len(cells) < 2:
        return ()
    adjusted = holm({name: exact_test(strata).p_lower for name, strata in cells.items()})
    return tuple(name for name in cells if adjusted[name] <= level + TOLERANCE)
