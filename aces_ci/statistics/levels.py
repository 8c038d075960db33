"""The interval of one arm's mean outcome."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import ndtri, stdtrit

from aces_ci.statistics.intervals import NO_SPREAD, Interval, variance
from aces_ci.statistics.proportion import bounds_of


def level_interval(cells: Sequence[Sequence[float]], level: float = 0.95) -> Interval | None:
    """Mean over cells of the cell mean, with its interval on this suite; None without a score.

    Scores: Satterthwaite t within cells. Pass or fail, or no spread to see: Wilson (1927) on the pooled
    number of trials; pooling takes the spread between cases for chance, so it is a little wide, and never
    of zero width.
    """
    used = [tuple(cell) for cell in cells if cell]
    if not used:
        return None
    point = sum(sum(cell) / len(cell) for cell in used) / len(used)
    binary = all(score in (0.0, 1.0) for cell in used for score in cell)
    terms = [variance(cell) / len(cell) for cell in used if len(cell) > 1]
    if not binary and len(terms) == len(used) and sum(terms) > NO_SPREAD:
        weights = [term**2 / (len(cell) - 1) for term, cell in zip(terms, used, strict=True)]
        freedom = sum(terms) ** 2 / sum(weights)
        half = float(stdtrit(freedom, (1 + level) / 2)) * sum(terms) ** 0.5 / len(used)
        low, high, method = point - half, point + half, "Satterthwaite t within cases"
    else:
        low, high = bounds_of(point, sum(map(len, used)), float(ndtri((1 + level) / 2)))
        method = "Wilson"
    return Interval(
        point=point,
        low=max(0.0, min(low, point)),
        high=min(1.0, max(high, point)),
        method=method,
        level=level,
        n=len(used),
    )
