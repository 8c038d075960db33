"""Planned looks: the exact group-sequential recursion over case x stage strata.

Spending is of Pocock type (Lan and DeMets 1983), a(t) = alpha ln(1 + (e - 1) t) with t the planned attempts
so far over the planned attempts of the last look, separately for each side. Given the totals of each stage
the increments are independent under the null hypothesis, so the recursion of Armitage, McPherson and Rowe
(1969; Jennison and Turnbull 2000) is exact whatever the difficulty of the cases, and what discreteness
leaves unspent is carried forward. It conditions inside a stage, so a drift of the provider between stages
does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import comb, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from aces_ci.statistics.spending import spending
from aces_ci.statistics.stratified import TOLERANCE, Cell, Law, grid_of, moments, null_law

FUTILITY = 0.05
"""Conditional power under the current trend below which going on is not worth its price."""


class Side(StrEnum):
    """Which boundary arm A's total crossed."""

    LOWER = "lower"
    HIGHER = "higher"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Alpha that is gone, by side: by earlier looks, or by an earlier run whose trials are lost."""

    lower: float = 0.0
    higher: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One planned look's new trials. `attempts` are planned per arm and cell; missing trials do not lower
    it."""

    attempts: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """Where the recursion ended. `p_lower` and `p_higher` are one-sided, in stage-wise ordering.

    That ordering (Jennison and Turnbull 2000, section 8.4) charges the alpha of the earlier looks, so p at
    or below the alpha spent so far and a crossed boundary are the same event.
    """

    look: int
    """1-based; 0 where there was no stage."""
    crossed: Side | None
    p_lower: float
    p_higher: float
    spent: Spent
    futile: bool
    """Going on is not worth its price: conditional power below `FUTILITY`, or no completion can cross."""
    z: float
    hopeless: bool = False
    """No completion of the plan can cross a boundary, whatever it brings."""

    @property
    def p_two_sided(self) -> float:
        """Twice the smaller one-sided p, at most 1."""
        return min(1.0, 2 * min(self.p_lower, self.p_higher))


def conditional_power(z: float, fraction: float, alpha: float) -> float:
    """Chance that |Z| ends beyond the critical value if the current trend goes on (B-value; Lan and Wittes
    1988)."""
    if fraction >= 1:
        return float(abs(z) >= ndtri(1 - alpha))
    drift = abs(z) / sqrt(fraction)
    b_value = abs(z) * sqrt(fraction)
    return float(1 - ndtr((ndtri(1 - alpha) - b_value - drift * (1 - fraction)) / sqrt(1 - fraction)))


@dataclass(slots=True)
class _State:
    """Sub-density over arm A's total of the paths that have not stopped, and what has been spent."""

    law: Law
    total: int
    lower: float
    higher: float


def _absorb(state: _State, cells: Sequence[Cell], grid: int) -> None:
    for cell in cells:
        if cell.paired:
            cell_law, observed = null_law(cell, grid)
            state.law, state.total = np.convolve(state.law, cell_law), state.total + observed


def run_looks(
    stages: Sequence[Stage],
    *,
    cap: int,
    alpha_lower: float = 0.025,
    alpha_higher: float = 0.025,
    spent: Spent | None = None,
    grid: int | None = None,
    later: Sequence[int] = (),
) -> Looks:
    """The recursion over `stages`, up to the first crossing.

    Args:
        stages: complete stages in order; a half-finished one must not be passed, because that would be a look
            that nobody planned.
        cap: attempts per arm and cell at the last planned look.
        alpha_lower: one-sided level of "A is lower"; `alpha_higher` of "A is higher".
        spent: alpha that earlier runs of the same comparison used up and whose trials are not in `stages`.
        grid: units of the scores; None takes it from the scores.
        later: cumulative attempts of the looks that are still planned; empty: one, at the cap.
    """
    gone = spent or Spent()
    units = grid or grid_of([cell for stage in stages for cell in stage.cells])
    state = _State(law=np.ones(1), total=0, lower=gone.lower, higher=gone.higher)
    attempts, mean, variance, z, look = 0, 0.0, 0.0, 0.0, 0
    p_lower = p_higher = 1.0
    for look, stage in enumerate(stages, start=1):
        attempts += stage.attempts
        _absorb(state, stage.cells, units)
        for cell in stage.cells:
            if cell.paired:
                cell_mean, cell_variance = moments(cell, units)
                mean, variance = mean + cell_mean, variance + cell_variance
        z = (state.total - mean) / sqrt(variance) if variance > 0 else 0.0
        fraction = attempts / cap
        below = np.cumsum(state.law)
        above = np.cumsum(state.law[::-1])[::-1]
        p_lower = min(1.0, state.lower + float(below[state.total]))
        p_higher = min(1.0, state.higher + float(above[state.total]))
        low = int(np.searchsorted(below, spending(fraction, alpha_lower) - state.lower + TOLERANCE, "right")) - 1
        room = spending(fraction, alpha_higher) - state.higher + TOLERANCE
        high = len(state.law) - int(np.searchsorted(above[::-1], room, "right"))
        crossed = Side.LOWER if state.total <= low else Side.HIGHER if state.total >= high else None
        if low >= 0:
            state.lower += float(below[low])
        if high < len(state.law):
            state.higher += float(above[high])
        if crossed is not None:
            return Looks(
                look=look,
                crossed=crossed,
                p_lower=p_lower,
                p_higher=p_higher,
                spent=Spent(lower=state.lower, higher=state.higher),
                futile=False,
                z=z,
            )
        state.law[: max(0, low + 1)] = 0.0
        state.law[high:] = 0.0
    fraction = attempts / cap
    open_end = 0 < fraction < 1
    hopeless = open_end and not _can_cross(
        state,
        strata=sum(cell.paired for cell in stages[-1].cells),
        attempts=(attempts, *(later or (cap,))),
        cap=cap,
        alphas=(alpha_lower, alpha_higher),
    )
    futile = hopeless or (open_end and conditional_power(z, fraction, max(alpha_lower, alpha_higher)) < FUTILITY)
    return Looks(
        look=look,
        crossed=None,
        p_lower=p_lower,
        p_higher=p_higher,
        spent=Spent(lower=state.lower, higher=state.higher),
        futile=futile,
        z=z,
        hopeless=hopeless,
    )


def _can_cross(state: _State, *, strata: int, attempts: Sequence[int], cap: int, alphas: tuple[float, float]) -> bool:
    """Whether some completion of the plan could still cross either boundary.

    A stage in which a stratum is split completely has the smallest probability that a stage can have, 1 / C(2b, b).
    So p at a later look is at least what is spent, plus the probability of today's total or a more extreme one times
    that of such stages up to there; a completion that needs less does not exist.
    """
    below = float(state.law[: state.total + 1].sum())
    above = float(state.law[state.total :].sum())
    rarest = 1.0
    for before, upto in pairwise(attempts):
        rarest /= float(comb(2 * (upto - before), upto - before)) ** strata
        for gone, mass, alpha in ((state.lower, below, alphas[0]), (state.higher, above, alphas[1])):
            if gone + mass * rarest <= spending(upto / cap, alpha) + TOLERANCE:
                return True
    return False
