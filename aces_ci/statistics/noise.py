"""The noise floor of a design from A/A data, and the alarm limit of a drift watch.

The floor comes from the pooled within-cell variance, never from the one A/A lift that happened to be
observed: that one is exceeded by the next in 37 to 42 % of repetitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.special import ndtri

from aces_ci.statistics.stratified import Cell, grid_of

ENOUGH_DAYS = 5


def shrunk_variance(cell: Cell, grid: int) -> float:
    """Within-cell variance of one score from A/A data, with both arms as one sample.

    Binary: rate (x + .5) / (N + 1). Scores: sample variance, floored at 1 / (4 (N + 1)).
    """
    pooled = (*cell.a, *cell.b)
    count = len(pooled)
    if grid == 1:
        rate = (sum(pooled) + 0.5) / (count + 1)
        return rate * (1 - rate)
    mean = sum(pooled) / count
    spread = sum((y - mean) ** 2 for y in pooled) / (count - 1) if count > 1 else 0.0
    return max(spread, 1 / (4 * (count + 1)))


def noise_floor(cells: Sequence[Cell], attempts: int, level: float = 0.95) -> float | None:
    """The floor of the design cells x attempts from A/A data of the same cells; None without any score."""
    used = [cell for cell in cells if cell.a or cell.b]
    if not used:
        return None
    grid = grid_of(used)
    return floor_from([shrunk_variance(cell, grid) for cell in used], attempts, level)


def floor_from(variances: Sequence[float], attempts: int, level: float = 0.95) -> float:
    """Observed lifts of two equal arms stay below this in `level` of repetitions: z sqrt(sum 2 V / n) / K."""
    return float(ndtri((1 + level) / 2)) * sqrt(sum(2 * v / attempts for v in variances)) / len(variances)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayNoise:
    """Between-day standard deviation of one arm's mean; None with fewer than five days."""

    days: int
    sigma: float | None
    because: str = ""


def day_noise(means: Sequence[float], errors: Sequence[float]) -> DayNoise:
    """From one arm's mean and its standard error on each day: max(0, Var(means) - mean(SE^2))."""
    days = len(means)
    if days < ENOUGH_DAYS:
        return DayNoise(
            days=days,
            sigma=None,
            because=f"between-day noise unknown: {days} of {ENOUGH_DAYS} days; "
            "a change from one day to another cannot be told from it",
        )
    centre = sum(means) / days
    variance = sum((mean - centre) ** 2 for mean in means) / (days - 1)
    return DayNoise(days=days, sigma=sqrt(max(0.0, variance - sum(se * se for se in errors) / days)))
