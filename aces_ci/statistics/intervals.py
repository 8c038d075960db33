"""Intervals for a difference of two arms: on this suite.

Binary outcomes: stratified Miettinen-Nurminen (1985) with equal weights. Scores: Welch-Satterthwaite t inside
cells. Neither is ever of zero width. Bootstrap and Wald are left out on purpose: at 4 x 3 they cover 85 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import acos, cos, pi, sqrt

from scipy.special import ndtri, stdtrit

from aces_ci.statistics.stratified import Cell, grid_of, mean_difference

_STEP = 1e-9
NO_SPREAD = 1e-12
"""A variance below this is rounding: equal scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval around `point`; `method` names the procedure."""

    point: float
    low: float
    high: float
    method: str
    level: float
    n: int
    """Cells."""

    def hulled(self) -> Interval:
        """Stretched to hold 0: what is printed when the exact test did not reject, so that both agree."""
        return Interval(
            point=self.point,
            low=min(self.low, 0.0),
            high=max(self.high, 0.0),
            method=self.method,
            level=self.level,
            n=self.n,
        )


def variance(scores: Sequence[float]) -> float:
    """Unbiased sample variance of at least two scores; plain floats, as below."""
    mean = sum(scores) / len(scores)
    return sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)


def restricted_rates(xa: float, na: float, xb: float, nb: float, delta: float) -> tuple[float, float]:
    """Maximum likelihood rates (pA, pB) of one cell under pA - pB = delta, by the closed cubic root.

    Miettinen and Nurminen 1985, appendix I; Farrington and Manning 1990. Plain floats: with a handful of cells
    this is six times faster than arrays.
    """
    n = na + nb
    l2 = (na + 2 * nb) * delta - n - (xa + xb)
    l1 = (nb * delta - n - 2 * xb) * delta + xa + xb
    l0 = xb * delta * (1 - delta)
    third = l2 / (3 * n)
    q = third**3 - l1 * l2 / (6 * n * n) + l0 / (2 * n)
    p = (1.0 if q >= 0 else -1.0) * sqrt(max(third * third - l1 / (3 * n), 0.0))
    ratio = min(1.0, max(-1.0, q / p**3)) if p else 1.0
    pb = min(1.0, max(0.0, 2 * p * cos((pi + acos(ratio)) / 3) - third))
    return min(1.0, max(0.0, pb + delta)), pb


def _score_variance(counts: Mapping[tuple[float, float, float, float], int], delta: float) -> float:
    """`counts` say how many cells have each (xa, na, xb, nb): at 10 x 3 half of them are alike."""
    total = 0.0
    for (xa, na, xb, nb), times in counts.items():
        pa, pb = restricted_rates(xa, na, xb, nb, delta)
        total += times * (pa * (1 - pa) / na + pb * (1 - pb) / nb) * (na + nb) / (na + nb - 1)
    return total / sum(counts.values()) ** 2


def _root(excess: Callable[[float], float], point: float, end: float) -> float:
    """Where `excess` turns positive between the point and an end of [-1, 1]; the end where it never does.

    Starts a step beside the point: at the point itself the variance may be 0 when every outcome is the same.
    """
    start = point + (_STEP if end > point else -_STEP)
    if abs(end - point) <= _STEP or excess(end) <= 0 or excess(start) > 0:
        return end if abs(end - point) <= _STEP or excess(end) <= 0 else point
    # Loading it takes a second of every run that needs no interval.
    from scipy.optimize import brentq

    return float(brentq(excess, start, end, xtol=1e-10))


def miettinen_nurminen(cells: Sequence[Cell], level: float = 0.95) -> Interval:
    """Stratified score interval of the mean risk difference, each cell weighing the same.

    Raises:
        ValueError: no cell has trials in both arms.
    """
    used = [cell for cell in cells if cell.paired]
    if not used:
        raise ValueError("no cell has trials in both arms")
    counts = [(sum(cell.a), float(len(cell.a)), sum(cell.b), float(len(cell.b))) for cell in used]
    square = float(ndtri((1 + level) / 2)) ** 2
    point = sum(xa / na - xb / nb for xa, na, xb, nb in counts) / len(counts)

    alike = Counter(counts)

    def excess(delta: float) -> float:
        return (point - delta) ** 2 - square * _score_variance(alike, delta)

    limits = [_root(excess, point, end) for end in (-1.0, 1.0)]
    return Interval(
        point=point,
        low=limits[0],
        high=limits[1],
        method="stratified Miettinen-Nurminen",
        level=level,
        n=len(used),
    )


def satterthwaite(cells: Sequence[Cell], level: float = 0.95) -> Interval | None:
    """t interval of the mean difference from within-cell variances, Welch-Satterthwaite degrees of freedom.

    None where no variance can be seen (every arm of every cell constant, or a single trial each): the caller
    falls back to pass counts, because a width of zero would be a lie.
    """
    used = [cell for cell in cells if cell.paired]
    terms, weights = [], []
    for arm in (arm for cell in used for arm in (cell.a, cell.b)):
        if len(arm) < 2:
            return None
        term = variance(arm) / len(arm)
        terms.append(term)
        weights.append(term**2 / (len(arm) - 1))
    point = mean_difference(used)
    if point is None or sum(terms) <= NO_SPREAD:
        return None
    freedom = sum(terms) ** 2 / sum(weights)
    half = float(stdtrit(freedom, (1 + level) / 2)) * sum(terms) ** 0.5 / len(used)
    return Interval(
        point=point,
        low=max(-1.0, point - half),
        high=min(1.0, point + half),
        method="Satterthwaite t within cases",
        level=level,
        n=len(used),
    )


def suite_interval(cells: Sequence[Cell], level: float = 0.95) -> Interval | None:
    """The interval on this suite: score interval for binary outcomes, t for scores; None without a paired
    cell."""
    used = [cell for cell in cells if cell.paired]
    point = mean_difference(used)
    if point is None:
        return None
    if grid_of(used) == 1:
        return miettinen_nurminen(used, level)
    interval = satterthwaite(used, level)
    return miettinen_nurminen(used, level) if interval is None else interval


def mover_difference(new: Interval, old: Interval) -> Interval:
    """Interval of `new - old`, two independent estimates (MOVER; Zou and Donner 2008).

    For a difference in differences, where a permutation test is not exact.
    """
    point = new.point - old.point
    low = point - ((new.point - new.low) ** 2 + (old.high - old.point) ** 2) ** 0.5
    high = point + ((new.high - new.point) ** 2 + (old.point - old.low) ** 2) ** 0.5
    return Interval(point=point, low=low, high=high, method="MOVER", level=new.level, n=min(new.n, old.n))
