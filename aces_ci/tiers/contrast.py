"""One contrast of one metric: its estimate, its p, and everything the word rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.lift import Value
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm
from aces_ci.statistics.intervals import Interval, satterthwaite, suite_interval
from aces_ci.statistics.missing import Missing, count_missing, outlasts, rule_r
from aces_ci.statistics.sequential import Looks, Side, Spent, run_looks
from aces_ci.statistics.spending import spending
from aces_ci.statistics.stratified import Cell, mean_difference
from aces_ci.tiers.strata import Slots, cells, complete_looks, stages

ARMS: Mapping[Contrast, tuple[Arm, Arm]] = {
    Contrast.CHANGE: (Arm.WITH_SKILL, Arm.PREVIOUS),
    Contrast.LIFT: (Arm.WITH_SKILL, Arm.BASELINE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """The primary outcome in one contrast, after the planned looks that are complete."""

    contrast: Contrast
    looks: Looks
    stands: bool
    """A boundary was crossed, and neither rule R nor the worst of the missing trials undoes it."""
    point: float | None
    interval: Interval | None
    """95 %, stretched to 0 where the test did not reject."""
    cells: tuple[Cell, ...]
    missing: Missing
    attempts: int
    """Per arm and stratum that estimates rest on."""
    complete: int
    """Complete looks that there are, used or not."""
    threshold: float = 0.0
    """Two-sided: twice the alpha that may be spent up to this look on the side that p speaks of."""

    @property
    def cases(self) -> int:
        """Cases with a scored trial in both arms."""
        return len({cell.key[0] for cell in self.cells if cell.paired})

    def lift(self, metric: str, because: str = "") -> Lift:
        """As shown: p only where the test could speak."""
        spoke = bool(self.looks.look) and not because
        return Lift(
            contrast=self.contrast,
            metric=metric,
            pairs=self.cases,
            estimate=estimate(self.interval, cases=self.cases),
            p=self.looks.p_two_sided if spoke else None,
            threshold=self.threshold if spoke else None,
            because=because if because or self.interval else "no case has a scored run in both arms",
        )


def estimate(interval: Interval | None, *, seed: int | None = None, cases: int | None = None) -> Estimate | None:
    """An interval as the value that reports carry; `cases` where one case has several strata."""
    if interval is None:
        return None
    return Estimate(
        point=interval.point,
        low=interval.low,
        high=interval.high,
        n=interval.n if cases is None else cases,
        method=interval.method,
        level=interval.level,
        seed=seed,
    )


def evaluate(
    held: Slots, contrast: Contrast, values: Mapping[str, Value], plan: LivePlan, upto: int | None = None
) -> Tested:
    """Run the planned looks of one contrast on the outcome.

    Trials of a look that is not complete are in the evidence and stay out of test and estimate, because
    looking at them would be a look that nobody planned. Without any complete look the estimate is of all
    there is and the test is silent.
    """
    arms = ARMS[contrast]
    done = complete_looks(held, arms, plan.looks, plan.cases, plan.agents)
    lower, higher = plan.alphas
    spent = Spent(lower=plan.spent[0], higher=plan.spent[1]) if contrast is Contrast.CHANGE else Spent()
    staged = stages(held, arms, plan.looks[:done], values)
    later = plan.looks[done:]
    looks = run_looks(staged, cap=plan.cap, alpha_lower=lower, alpha_higher=higher, spent=spent, later=later)
    used = staged[: looks.look]
    attempts = plan.looks[(upto or looks.look) - 1] if looks.look else plan.looks[:upto][-1]
    seen = cells(held, arms, attempts, values)
    missing = count_missing(seen)
    stands = rule_r(looks, used, missing, cap=plan.cap, alpha_lower=lower, alpha_higher=higher, spent=spent)
    stands = stands and outlasts(looks.crossed, seen)
    side = lower if looks.p_lower <= looks.p_higher else higher
    interval = suite_interval(seen)
    if interval is not None and looks.crossed is None:
        interval = interval.hulled()
    return Tested(
        contrast=contrast,
        looks=looks,
        stands=stands,
        point=mean_difference(seen),
        interval=interval,
        cells=seen,
        missing=missing,
        attempts=attempts if looks.look else _most(seen),
        complete=done,
        threshold=2 * spending(sum(stage.attempts for stage in used) / plan.cap, side),
    )


def agrees(tested: Tested) -> bool:
    """Whether the estimate has the sign that the boundary speaks of; missing trials can part them."""
    if tested.point is None or tested.looks.crossed is None:
        return False
    return tested.point < 0 if tested.looks.crossed is Side.LOWER else tested.point > 0


def describe(held: Slots, contrast: Contrast, metric: str, values: Mapping[str, Value], attempts: int) -> Lift | None:
    """A contrast without a test: interval, no p, no word. None where one of the arms never ran."""
    arms = ARMS[contrast]
    if not all(held.by_arm.get(arm) for arm in arms):
        return None
    seen = [
        cell for cell in cells(held, arms, attempts, values) if cell.a or cell.b or cell.missing_a or cell.missing_b
    ]
    interval = suite_interval(seen) if _bounded(seen) else _unbounded(seen)
    pairs = len({cell.key[0] for cell in seen if cell.paired})
    return Lift(
        contrast=contrast,
        metric=metric,
        pairs=pairs,
        estimate=estimate(interval, cases=pairs),
        because="" if interval else "no case has enough scored runs in both arms",
    )


def _bounded(seen: Sequence[Cell]) -> bool:
    return all(0 <= score <= 1 for cell in seen for score in (*cell.a, *cell.b))


def _unbounded(seen: Sequence[Cell]) -> Interval | None:
    """A composite that is scaled by applicability may leave [0, 1]: only the t interval applies."""
    return satterthwaite(seen)


def _most(seen: Sequence[Cell]) -> int:
    return max((max(len(cell.a) + cell.missing_a, len(cell.b) + cell.missing_b) for cell in seen), default=0)
