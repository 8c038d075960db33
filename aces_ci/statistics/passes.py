"""At least one of k, and all of k, attempts pass: unbiased estimators over the attempts that were run."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from aces_ci.statistics.intervals import Interval
from aces_ci.statistics.proportion import bounds_of

FEWEST_GROUPS = 3
"""With one or two groups Wilson's interval covers as little as .87."""


def pass_at_k(passed: int, attempts: int, k: int) -> float | None:
    """Chance that at least one of k attempts passes: 1 - C(n - c, k) / C(n, k) (Chen et al. 2021); None: n
    < k."""
    if not 0 < k <= attempts:
        return None
    return 1 - comb(attempts - passed, k) / comb(attempts, k)


def pass_hat_k(passed: int, attempts: int, k: int) -> float | None:
    """Chance that all of k attempts pass: C(c, k) / C(n, k) (tau-bench, Yao et al. 2024); None: n < k."""
    if not 0 < k <= attempts:
        return None
    return comb(passed, k) / comb(attempts, k)


def over_cases(cells: Sequence[tuple[int, int]], k: int) -> tuple[float, float] | None:
    """Mean pass@k and pass^k over cases given as (passed, attempts); None unless every case has k
    attempts."""
    some = [pass_at_k(passed, attempts, k) for passed, attempts in cells]
    every = [pass_hat_k(passed, attempts, k) for passed, attempts in cells]
    known_some, known_every = [v for v in some if v is not None], [v for v in every if v is not None]
    if not cells or len(known_some) < len(cells):
        return None
    return sum(known_some) / len(cells), sum(known_every) / len(cells)


def pass_interval(point: float, cells: Sequence[tuple[int, int]], k: int) -> Interval | None:
    """Around a mean of pass@k or pass^k over cases, on this suite; None with fewer than three groups of k attempts.

    Attempts of one case make floor(n / k) groups of k that share none; each is one trial whose success has exactly
    the probability in question. The unbiased estimator averages over all such groupings, so it varies no more than
    they do (Hoeffding 1948), and cases that differ vary less than equal ones. Hence Wilson's (1927) interval with
    that number of groups: inside [0, 1] by construction; its coverage stands in `docs/method.md`.
    """
    groups = sum(attempts // k for _, attempts in cells)
    if groups < FEWEST_GROUPS:
        return None
    low, high = bounds_of(point, groups)
    return Interval(
        point=point,
        low=min(low, point),
        high=max(high, point),
        method="Wilson over groups of k",
        level=0.95,
        n=len(cells),
    )
