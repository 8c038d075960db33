"""Intervals for a difference of two arms: on this suite.

Binary outcomes: stratified Miettinen-Nurminen (1985) with equal weights. Scores: Welch-Satterthwaite t inside
cells. Neither is ever of zero width. Bootstrap and Wald are left out on purpose: at 4 x 3 they cover 85 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from aces_ci.statistics.stratified import Cell, grid_of, mean_difference

Floats = NDArray[np.float64]
_BISECTIONS = 60
"""Halvings of an interval of length at most 2: 2 / 2**60, far below what is printed."""


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


def restricted_rates(xa: Floats, na: Floats, xb: Floats, nb: Floats, delta: float) -> tuple[Floats, Floats]:
    """Maximum likelihood rates (pA, pB) under pA - pB = delta, by the closed cubic root.

    Miettinen and Nurminen 1985, appendix I; Farrington and Manning 1990. Shapes: one entry a cell.
    """
    n = na + nb
    l2 = (na + 2 * nb) * delta - n - (xa + xb)
    l1 = (nb * delta - n - 2 * xb) * delta + xa + xb
    l0 = xb * delta * (1 - delta)
    q = (l2 / (3 * n)) ** 3 - l1 * l2 / (6 * n * n) + l0 / (2 * n)
    p = np.where(q >= 0, 1.0, -1.0) * np.sqrt(np.maximum((l2 / (3 * n)) ** 2 - l1 / (3 * n), 0.0))
    ratio = np.clip(q / np.where(p == 0, 1.0, p**3), -1.0, 1.0)
    angle = (np.pi + np.arccos(ratio)) / 3
    pb = np.clip(2 * p * np.cos(angle) - l2 / (3 * n), 0.0, 1.0)
    return np.clip(pb + delta, 0.0, 1.0), pb


def _score_variance(xa: Floats, na: Floats, xb: Floats, nb: Floats, delta: float) -> float:
    pa, pb = restricted_rates(xa, na, xb, nb, delta)
    n = na + nb
    return float(((pa * (1 - pa) / na + pb * (1 - pb) / nb) * n / (n - 1)).sum() / len(na) ** 2)


def miettinen_nurminen(cells: Sequence[Cell], level: float = 0.95) -> Interval:
    """Stratified score interval of the mean risk difference, each cell weighing the same.

    Scores are taken as pass counts: callers pass 0 and 1 only.

    Raises:
        ValueError: no cell has trials in both arms.
    """
    used = [cell for cell in cells if cell.paired]
    if not used:
        raise ValueError("no cell has trials in both arms")
    xa, na = np.array([sum(c.a) for c in used]), np.array([len(c.a) for c in used], dtype=float)
    xb, nb = np.array([sum(c.b) for c in used]), np.array([len(c.b) for c in used], dtype=float)
    square = float(ndtri((1 + level) / 2)) ** 2
    point = float(np.mean(xa / na - xb / nb))
    limits = []
    for end in (-1.0, 1.0):
        inside, outside = point, end
        for _ in range(_BISECTIONS):
            middle = (inside + outside) / 2
            if (point - middle) ** 2 > square * _score_variance(xa, na, xb, nb, middle):
                outside = middle
            else:
                inside = middle
        limits.append((inside + outside) / 2)
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
        term = float(np.var(arm, ddof=1)) / len(arm)
        terms.append(term)
        weights.append(term**2 / (len(arm) - 1))
    point = mean_difference(used)
    if point is None or sum(terms) <= 0:
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
    if interval is not None:
        return interval
    rounded = miettinen_nurminen([_passes(cell) for cell in used], level)
    return Interval(
        point=point,
        low=min(rounded.low, point),
        high=max(rounded.high, point),
        method="stratified Miettinen-Nurminen on passes, no spread to see",
        level=level,
        n=len(used),
    )


def _passes(cell: Cell) -> Cell:
    """Scores as pass (at least one half) or fail."""
    return Cell(key=cell.key, a=tuple(float(y >= 0.5) for y in cell.a), b=tuple(float(y >= 0.5) for y in cell.b))


def mover_difference(new: Interval, old: Interval) -> Interval:
    """Interval of `new - old`, two independent estimates (MOVER; Zou and Donner 2008).

    For a difference in differences, where a permutation test is not exact.
    """
    point = new.point - old.point
    low = point - ((new.point - new.low) ** 2 + (old.high - old.point) ** 2) ** 0.5
    high = point + ((new.high - new.point) ** 2 + (old.point - old.low) ** 2) ** 0.5
    return Interval(point=point, low=low, high=high, method="MOVER", level=new.level, n=min(new.n, old.n))
