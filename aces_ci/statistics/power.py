"""What a design can see: attainability, the smallest detectable lift, attempts for a target.

Pure arithmetic, no numpy: the planner calls it before anything is installed or spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, comb, sqrt
from statistics import NormalDist

from aces_ci.statistics.spending import spending

Arms = tuple[Sequence[float], Sequence[float]]
"""Scores in [0, 1] of arm A, and of the comparator, in one cell."""
POWER = 0.80
MOST_ATTEMPTS = 1000
_TIE = 1e-9
"""Probabilities closer than this are equal, as in the test."""


def smallest_p(cases: int, stages: Sequence[int], strata_per_case: int = 1) -> float:
    """Smallest one-sided p that `cases` with these attempts a stage can give: every stratum of every stage split
    completely, the product of C(2b, b)^-K.
    """
    if not cases or not stages:
        return 1.0
    ways = 1.0
    for attempts in stages:
        ways *= float(comb(2 * attempts, attempts)) ** (cases * strata_per_case)
    return 1.0 / ways


def attainable(
    cases: int, looks: Sequence[int], alpha: float = 0.025, strata_per_case: int = 1, spent: float = 0.0
) -> bool:
    """Whether the plan can cross a boundary at any of its looks.

    The planner asks this before the first trial and refuses a plan that never can: 3 x 1, 4 x 1 and 5 x 1 cannot at
    .025. A stage is compared with itself, so two looks at 1 and 2 attempts can less than one at 2, and an early look
    may take only its part of alpha. On the path of the smallest p nothing is spent before the look it crosses at.

    Args:
        looks: cumulative attempts at each planned look.
        alpha: one-sided, already divided by the number of changed skills.
        strata_per_case: harnesses x models.
        spent: alpha that earlier runs of the same comparison used up.
    """
    stages = [upto - before for before, upto in pairwise((0, *looks))]
    for number, upto in enumerate(looks):
        left = spending(upto / looks[-1], alpha) - spent
        if left > _TIE and smallest_p(cases, stages[: number + 1], strata_per_case) <= left + _TIE:
            return True
    return False


def cell_variance(arms: Arms, grid: int) -> float:
    """Within-arm variance of one score in one cell, shrunk so that a cell of all passes is not certain.

    Binary: p(1 - p) with p = (x + 1) / (N + 2) over both arms. Scores: pooled within-arm variance, floored at
    1 / (4 (N + 2)).
    """
    a, b = arms
    count = len(a) + len(b)
    if grid == 1:
        rate = (sum(a) + sum(b) + 1) / (count + 2)
        return rate * (1 - rate)
    squares = sum(sum((y - sum(arm) / len(arm)) ** 2 for y in arm) for arm in (a, b) if arm)
    freedom = sum(len(arm) - 1 for arm in (a, b) if arm)
    pooled = squares / freedom if freedom > 0 else 0.0
    return max(pooled, 1 / (4 * (count + 2)))


def smallest_lift(
    variances: Sequence[float], attempts: int, *, alpha: float = 0.025, grid: int = 1, power: float = POWER
) -> float:
    """The lift that a run of len(variances) cells x `attempts` an arm sees with `power`.

    (z_{1-alpha} + z_power) sqrt(2 sum V / n) / K + 1 / (g K n); the last term is the step of the lattice.
    Real power at this lift was .72 to .85 in simulation. Never plug the observed lift in: that is post-hoc
    power.
    """
    cells = len(variances)
    normal = NormalDist()
    error = sqrt(2 * sum(variances) / attempts) / cells
    return (normal.inv_cdf(1 - alpha) + normal.inv_cdf(power)) * error + 1 / (grid * cells * attempts)


def attempts_for(
    target: float, variances: Sequence[float], *, alpha: float = 0.025, grid: int = 1, power: float = POWER
) -> int | None:
    """Smallest number of attempts an arm and cell whose smallest detectable lift is at most `target`; None:
    beyond 1,000."""
    for attempts in range(2, MOST_ATTEMPTS + 1):
        if smallest_lift(variances, attempts, alpha=alpha, grid=grid, power=power) <= target:
            return attempts
    return None


def with_more_cases(variances: Sequence[float], cells: int) -> tuple[float, ...]:
    """The same mean variance spread over another number of cells: what new cases of the same kind would
    bring."""
    mean = sum(variances) / len(variances)
    return (mean,) * cells


def cases_within_cap(needed_attempts: int, cells: int, cap: int) -> int:
    """How many cells see the same lift at `cap` attempts: equal total runs."""
    return ceil(cells * needed_attempts / cap)
