"""What would settle it: designs with their price and the lift that they would show."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from aces_ci.core.live import Option
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.population import ENOUGH
from aces_ci.statistics.power import attempts_for, cases_within_cap, cell_variance, smallest_lift, with_more_cases
from aces_ci.statistics.stratified import grid_of
from aces_ci.tiers.contrast import Tested
from aces_ci.tiers.strata import Slots

MORE_CASES = 10
"""The number of cases that a small suite is advised to grow to: above the 8 that speak for tasks like
these."""


def variances(tested: Tested) -> tuple[float, ...]:
    """Within-arm variance of every stratum of a contrast."""
    grid = grid_of(tested.cells)
    return tuple(cell_variance((cell.a, cell.b), grid) for cell in tested.cells if cell.paired)


def smallest_detectable(tested: Tested, alpha: float) -> float | None:
    """The lift that this run could have seen four times of five; None without a paired stratum."""
    spread = variances(tested)
    if not spread or not tested.attempts:
        return None
    return min(1.0, smallest_lift(spread, tested.attempts, alpha=alpha, grid=grid_of(tested.cells)))


def identical_differ(tested: Tested, by: float = 0.05) -> float | None:
    """Chance that two identical skills differ by `by` or more in a run like this one (normal approximation)."""
    spread = variances(tested)
    if not spread or not tested.attempts:
        return None
    error = sqrt(2 * sum(spread) / tested.attempts) / len(spread)
    return 2 * (1 - NormalDist(sigma=error).cdf(by)) if error > 0 else 0.0


def mean_cost(trials: Sequence[Trial]) -> float | None:
    """Mean cost of a scored trial in millionths of a dollar; None where a price is unknown."""
    costs = [trial.usage.usd_micros for trial in trials if not trial.missing and not trial.recorded]
    known = [cost for cost in costs if cost is not None]
    return sum(known) / len(known) if known and len(known) == len(costs) else None


def options(tested: Tested, held: Slots, plan: LivePlan, alpha: float) -> tuple[Option, ...]:
    """In order: go on to the last look, unless nothing can cross there any more; more cases; the target.

    The target is `live.target_lift`, never the observed lift: that would be post-hoc power. More cases are
    priced from nothing, because they change the evals and everything runs again.
    """
    spread = variances(tested)
    if not spread:
        return ()
    grid, arms = grid_of(tested.cells), len(held.by_arm)
    cost = mean_cost([trial for arm in Arm for trial in held.trials(arm)])
    strata, cases = len(spread), tested.cases
    per_case = strata / cases

    def option(kind: str, count: int, attempts: int, runs: int) -> Option:
        wide = with_more_cases(spread, round(count * per_case)) if count > cases else spread
        shows = smallest_lift(wide, attempts, alpha=alpha, grid=grid)
        return Option(
            kind=kind,
            cases=count,
            attempts=attempts,
            runs=runs,
            usd_micros=None if cost is None else cost * runs,
            shows=min(1.0, shows),
        )

    found = []
    if tested.attempts < plan.cap and not tested.looks.hopeless:
        found.append(option("go_on", cases, plan.cap, arms * strata * (plan.cap - tested.attempts)))
    if cases < ENOUGH:
        middle = plan.looks[len(plan.looks) // 2]
        found.append(option("more_cases", MORE_CASES, middle, round(arms * MORE_CASES * per_case * middle)))
    wanted = max(cases, MORE_CASES)
    needed = attempts_for(plan.target_lift, with_more_cases(spread, round(wanted * per_case)), alpha=alpha, grid=grid)
    if needed is not None and not any(choice.shows <= plan.target_lift for choice in found):
        if needed > plan.cap:
            # Attempts past the plan's last look are not counted: only more cases get there.
            wanted, needed = cases_within_cap(needed, wanted, plan.cap), plan.cap
        extra = needed - tested.attempts if wanted == cases else needed
        if extra > 0:
            found.append(option("target", wanted, needed, round(arms * wanted * per_case * extra)))
    return tuple(found)
