"""What a result rules out, and when two arms are surely close: two one-sided tests by the 90 % interval.

The interval is the score interval (or t for scores), never a bootstrap or Wald one: near the ceiling those
declare equivalence falsely in 9 % of runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.statistics.intervals import suite_interval
from aces_ci.statistics.stratified import Cell

LEVEL = 0.90
"""Two-sided; each end is a 95 % one-sided bound."""


def rules_out_drop(cells: Sequence[Cell]) -> float | None:
    """The drop in [0, 1] beyond which it is ruled out at 95 % on this suite; 0 where any drop is; None: no
    pair."""
    interval = suite_interval(cells, LEVEL)
    return None if interval is None else max(0.0, -interval.low)


def within_margin(cells: Sequence[Cell], margin: float) -> bool:
    """Whether the 90 % interval lies inside +-margin (TOST; Schuirmann 1987). False without a paired cell."""
    interval = suite_interval(cells, LEVEL)
    return interval is not None and -margin < interval.low and interval.high < margin
