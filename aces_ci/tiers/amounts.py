"""Passes, tokens, money and time of the arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aces_ci.core.lift import Value
from aces_ci.core.live import PassRow, RatioRow
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Trial
from aces_ci.statistics.passes import over_cases, pass_at_k, pass_hat_k
from aces_ci.statistics.population import tasks_like_these
from aces_ci.statistics.ratios import paired_ratio
from aces_ci.statistics.stratified import Cell
from aces_ci.tiers.breakdown import SHOWN_ARMS, scored, within
from aces_ci.tiers.contrast import ARMS, estimate
from aces_ci.tiers.strata import Slots

PASSES = 1.0
"""A trial passes when its whole outcome is met."""


def pass_rows(held: Slots, values: Mapping[str, Value], plan: LivePlan, attempts: int) -> tuple[PassRow, ...]:
    """pass@k and pass^k an arm, k the attempts of the first look; the interval is t over cases from 8
    cases."""
    k = plan.looks[0]
    rows = []
    for arm in SHOWN_ARMS:
        by_case: dict[str, list[float]] = {}
        for key, trials in within(held, arm, attempts).items():
            by_case.setdefault(key[0], []).extend(scored(trials, values))
        if not by_case:
            continue
        counts = [(sum(score >= PASSES - 1e-9 for score in row), len(row)) for row in by_case.values()]
        if over_cases(counts, k) is None:
            some, every, because = None, None, f"a case has fewer than {k} scored runs"
        else:
            both = [
                tasks_like_these([value for c, n in counts if (value := estimator(c, n, k)) is not None])
                for estimator in (pass_at_k, pass_hat_k)
            ]
            some, every = (estimate(found.interval) for found in both)
            because = "; ".join(dict.fromkeys(found.because for found in both if found.interval is None))
        rows.append(PassRow(arm=arm, k=k, cases=len(counts), some=some, every=every, because=because))
    return tuple(rows)


def _tokens(trial: Trial) -> float | None:
    return float(trial.usage.tokens)


def _usd(trial: Trial) -> float | None:
    return None if trial.usage.usd_micros is None else float(trial.usage.usd_micros)


def _seconds(trial: Trial) -> float | None:
    return trial.seconds


AMOUNTS: tuple[tuple[str, Callable[[Trial], float | None]], ...] = (
    ("tokens", _tokens),
    ("usd", _usd),
    ("seconds", _seconds),
)


def ratio_rows(held: Slots, plan: LivePlan, attempts: int) -> tuple[RatioRow, ...]:
    """Paired ratios in both contrasts. Lost trials are left out: what they would have cost is unknown."""
    rows = []
    for contrast, (first, second) in ARMS.items():
        if not held.by_arm.get(first) or not held.by_arm.get(second):
            continue
        for what, amount in AMOUNTS:
            sides = [
                {key: [amount(t) for t in row if not t.missing] for key, row in within(held, arm, attempts).items()}
                for arm in (first, second)
            ]
            if any(value is None for side in sides for row in side.values() for value in row):
                rows.append(RatioRow(what=what, contrast=contrast, estimate=None, because="no price is known"))
                continue
            strata = [
                Cell(
                    key=key,
                    a=tuple(value for value in sides[0].get(key, []) if value is not None),
                    b=tuple(value for value in sides[1].get(key, []) if value is not None),
                )
                for key in held.keys(first, second)
            ]
            found = paired_ratio(strata, seed=plan.seed)
            rows.append(
                RatioRow(
                    what=what,
                    contrast=contrast,
                    estimate=estimate(found, seed=plan.seed),
                    because="" if found else "too few runs a case, or no spread to see",
                )
            )
    return tuple(rows)
