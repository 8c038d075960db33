"""The exact within-case permutation test, one function for binary outcomes and scores.

Under the null hypothesis "the arm makes no difference on this case" the attempts of one cell are exchangeable
between arms, so the law of arm A's total is that of a random relabelling inside the cell, and the cells are
independent. For binary outcomes this is the stratified hypergeometric law (exact Mantel-Haenszel: Birch 1964,
Gart 1970; one cell is Fisher's exact test); for scores it comes from dynamic programming over subset sums
(Pagano and Tritchler 1983). No Monte Carlo, no seed, no large-sample branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Two probabilities closer than this are equal: one informative cell 3/3 against 0/3 has p = 1/20 exactly,
and a comparison of floats without tolerance lost it."""
SCORE_GRID = 60
"""Scores are rounded to 1/60 before anybody looks at arms: divisible by 2, 3, 4, 5 and 6 items."""

Law = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One stratum (case x harness x model, and stage in the test): the scores of both arms, each in [0,
    1]."""

    key: tuple[str, ...]
    a: tuple[float, ...]
    """Scores of arm A (with_skill)."""
    b: tuple[float, ...]
    """Scores of the comparator."""
    missing_a: int = 0
    missing_b: int = 0

    @property
    def paired(self) -> bool:
        """Whether both arms have a scored trial; a cell that has not drops out of both."""
        return bool(self.a) and bool(self.b)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One-sided exact p-values of arm A being lower and higher; `total` is in units of 1/grid."""

    __test__ = False

    p_lower: float
    p_upper: float
    total: int
    grid: int
    cells: int
    """Cells with scores in both arms."""

    @property
    def p_two_sided(self) -> float:
        """Twice the smaller one-sided p, at most 1: two one-sided tests stated together."""
        return min(1.0, 2 * min(self.p_lower, self.p_upper))


def grid_of(cells: Sequence[Cell]) -> int:
    """1 where every score is 0 or 1, else `SCORE_GRID`."""
    scores = (score for cell in cells for score in (*cell.a, *cell.b))
    return 1 if all(score in (0.0, 1.0) for score in scores) else SCORE_GRID


def on_grid(scores: Sequence[float], grid: int) -> tuple[int, ...]:
    """Scores in units of 1/grid, rounded half up.

    Raises:
        ValueError: a score lies outside [0, 1] or is not a number.
    """
    for score in scores:
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"a score must lie in [0, 1], not {score!r}")
    return tuple(int(score * grid + 0.5) for score in scores)


@lru_cache(maxsize=65536)
def _relabelling_law(values: tuple[int, ...], size: int) -> Law:
    """Law of the sum of a random subset of `size` of `values` (sorted): counts of subsets by sum over C(N,
    size)."""
    counts = np.zeros((size + 1, sum(values) + 1))
    counts[0, 0] = 1.0
    for taken, value in enumerate(values, start=1):
        for chosen in range(min(taken, size), 0, -1):
            counts[chosen, value:] += counts[chosen - 1, : counts.shape[1] - value]
    law: Law = counts[size] / comb(len(values), size)
    law.flags.writeable = False
    return law


def null_law(cell: Cell, grid: int) -> tuple[Law, int]:
    """Null law of arm A's total in one cell (index = units of 1/grid), and the total that was observed."""
    a, b = on_grid(cell.a, grid), on_grid(cell.b, grid)
    return _relabelling_law(tuple(sorted(a + b)), len(a)), sum(a)


def moments(cell: Cell, grid: int) -> tuple[float, float]:
    """Mean and variance of arm A's total under relabelling, in units of 1/grid (finite population
    sampling)."""
    a, b = on_grid(cell.a, grid), on_grid(cell.b, grid)
    pooled, size = np.array(a + b, dtype=float), len(a)
    count = len(pooled)
    if count < 2:
        return float(pooled.sum()), 0.0
    variance = size * (count - size) / count * pooled.var(ddof=1)
    return float(size * pooled.mean()), float(variance)


def exact_test(cells: Sequence[Cell], *, grid: int | None = None) -> TestResult:
    """The exact test over all cells. Cells without scores in both arms are left out.

    With no informative cell both p are 1. `grid` None takes `grid_of(cells)`.
    """
    used = [cell for cell in cells if cell.paired]
    units = grid or grid_of(used)
    law, total = np.ones(1), 0
    for cell in used:
        cell_law, observed = null_law(cell, units)
        law, total = np.convolve(law, cell_law), total + observed
    return TestResult(
        p_lower=min(1.0, float(law[: total + 1].sum())),
        p_upper=min(1.0, float(law[total:].sum())),
        total=total,
        grid=units,
        cells=len(used),
    )


def mean_difference(cells: Sequence[Cell]) -> float | None:
    """Mean over cells of (mean of A - mean of B), cells weighted equally; None without a paired cell."""
    lifts = [sum(cell.a) / len(cell.a) - sum(cell.b) / len(cell.b) for cell in cells if cell.paired]
    return sum(lifts) / len(lifts) if lifts else None
