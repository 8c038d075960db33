"""Missing trials: worst-case bounds, rule R, and when a comparison is no longer one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aces_ci.statistics.sequential import Looks, Side, Spent, Stage, run_looks
from aces_ci.statistics.stratified import Cell

MOST_MISSING = 0.20
"""Above this share of the planned trials of either arm a comparison is invalid: pooled over the arms, one that lost two
fifths could hide behind one that lost none."""
UNEQUAL_SHARE = 0.05
"""Counts of missing trials that differ by no more than this share of an arm (or by one) are taken as
chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Missing trials of the two arms of a contrast, and the planned ones."""

    a: int
    b: int
    planned_a: int
    planned_b: int

    @property
    def share(self) -> float:
        """Share of its planned trials that nobody can score, in the arm that lost more."""
        arms = ((self.a, self.planned_a), (self.b, self.planned_b))
        return max(lost / planned if planned else 0.0 for lost, planned in arms)

    @property
    def any(self) -> bool:
        """Whether a trial of either arm is missing."""
        return self.a + self.b > 0

    @property
    def too_many(self) -> bool:
        """Whether the comparison is invalid."""
        return self.share > MOST_MISSING

    @property
    def unequal(self) -> bool:
        """Whether the arms lost so differently that chance alone is not believed."""
        return abs(self.a - self.b) > max(1.0, UNEQUAL_SHARE * max(self.planned_a, self.planned_b))


def count_missing(cells: Sequence[Cell]) -> Missing:
    """Over all cells, those that dropped out included."""
    a, b = sum(cell.missing_a for cell in cells), sum(cell.missing_b for cell in cells)
    return Missing(
        a=a,
        b=b,
        planned_a=a + sum(len(cell.a) for cell in cells),
        planned_b=b + sum(len(cell.b) for cell in cells),
    )


def filled(cell: Cell, a: float, b: float) -> Cell:
    """Every missing trial of arm A scored `a`, of the comparator `b`."""
    return replace(cell, a=cell.a + (a,) * cell.missing_a, b=cell.b + (b,) * cell.missing_b, missing_a=0, missing_b=0)


def bounds(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """Lowest and highest mean difference that the missing trials could have made it; None without any
    trial."""
    ends = []
    for a, b in ((0.0, 1.0), (1.0, 0.0)):
        whole = [cell for cell in (filled(cell, a, b) for cell in cells) if cell.paired]
        if not whole:
            return None
        ends.append(sum(sum(c.a) / len(c.a) - sum(c.b) / len(c.b) for c in whole) / len(whole))
    return ends[0], ends[1]


def rule_r(
    looks: Looks,
    stages: Sequence[Stage],
    missing: Missing,
    *,
    cap: int,
    alpha_lower: float,
    alpha_higher: float,
    spent: Spent | None = None,
    grid: int | None = None,
) -> bool:
    """Whether a crossed boundary stands although trials are missing.

    It stands when the arms lost about equally, or when it is crossed as well with every missing trial
    filled in against it. A crash that is labelled infrastructure in one arm only can otherwise multiply the
    error by six.
    """
    if looks.crossed is None or not missing.unequal:
        return looks.crossed is not None
    against = (1.0, 0.0) if looks.crossed is Side.LOWER else (0.0, 1.0)
    worst = [
        Stage(attempts=stage.attempts, cells=tuple(filled(cell, *against) for cell in stage.cells)) for stage in stages
    ]
    again = run_looks(worst, cap=cap, alpha_lower=alpha_lower, alpha_higher=alpha_higher, spent=spent, grid=grid)
    return again.crossed is looks.crossed


def outlasts(side: Side | None, cells: Sequence[Cell]) -> bool:
    """Whether the difference keeps its sign at the worst that the missing trials could have been.

    Asked beside rule R, which lets equal losses pass: a direction that the lost trials alone could turn is not said.
    True without a missing trial, and where no boundary was crossed.
    """
    ends = bounds(cells) if count_missing(cells).any else None
    if ends is None or side is None:
        return True
    return ends[1] < 0 if side is Side.LOWER else ends[0] > 0
