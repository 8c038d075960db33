"""At least one of k, and all of k, attempts pass: unbiased estimators over the attempts that were run."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


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
