"""What a result rules out, and when two arms are surely close: two one-sided tests by the 90 % interval.

The interval is the score interval (or t for scores), never a bootstrap or Wald one: near the ceiling those
declare equivalence falsely in 9 % of runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.statistics.intervals import suite_interval
from aces_ci.statistics.missing import count_missing, filled
from aces_ci.statistics.stratified import Cell

LEVEL = 0.90
"""Two-sided; each end is a 95 % one-sided bound."""


def rules_out_drop(cells: Sequence[Cell]) -> float | None:
    """The drop in [0, 1] beyond which it is ruled out at 95 % on this suite; 0 where any drop is; None: no pair.

    Also for the worst that lost runs could have been, however equally the arms lost them: what is ruled out must be
    ruled out by the runs that there are.
    """
    lows = [interval.low for held in _as_bad_as_can_be(cells) if (interval := suite_interval(held, LEVEL))]
    return max(0.0, -min(lows)) if lows else None


def within_margin(cells: Sequence[Cell], margin: float) -> bool:
    """Whether the 90 % interval lies inside +-margin (TOST; Schuirmann 1987). False without a paired cell.

    Also at the worst, as `rules_out_drop`: lost runs must not make two arms look alike.
    """
    intervals = [suite_interval(held, LEVEL) for held in _as_bad_as_can_be(cells)]
    return all(found is not None and -margin < found.low and found.high < margin for found in intervals)


def _as_bad_as_can_be(cells: Sequence[Cell]) -> tuple[Sequence[Cell], ...]:
    if not count_missing(cells).any:
        return (cells,)
    return (cells, *([filled(cell, a, b) for cell in cells] for a, b in ((0.0, 1.0), (1.0, 0.0))))
