"""Passes, tokens, money and time of the arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aces_ci.core.estimate import Contrast, Estimate
from aces_ci.core.lift import Value
from aces_ci.core.live import PassRow, RatioRow
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.passes import FEWEST_GROUPS, over_cases, pass_interval
from aces_ci.statistics.ratios import paired_ratio
from aces_ci.statistics.stratified import Cell
from aces_ci.tiers.breakdown import SHOWN_ARMS, scored, within
from aces_ci.tiers.contrast import ARMS, estimate
from aces_ci.tiers.strata import Slots

PASSES = 1.0
"""A trial passes when its whole outcome is met."""


def pass_rows(held: Slots, values: Mapping[str, Value], plan: LivePlan, attempts: int) -> tuple[PassRow, ...]:
    """pass@k and pass^k an arm on this suite, k the attempts of the first look."""
    k = plan.looks[0]
    rows = []
    for arm in SHOWN_ARMS:
        strata = [(key[0], scored(trials, values)) for key, trials in within(held, arm, attempts).items()]
        if not strata:
            continue
        cases = {case for case, _ in strata}
        counts = [(sum(score >= PASSES - 1e-9 for score in row), len(row)) for _, row in strata]
        means = over_cases(counts, k)
        both = [pass_interval(mean, counts, k) for mean in means or ()]
        some, every = (estimate(found, cases=len(cases)) for found in both) if both else (None, None)
        because = ""
        if means is None:
            because = f"a case has fewer than {k} scored runs"
        elif some is None:
            because = f"fewer than {FEWEST_GROUPS} groups of {k} runs"
        rows.append(PassRow(arm=arm, k=k, cases=len(cases), some=some, every=every, because=because))
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


def ratio_rows(
    held: Slots, plan: LivePlan, attempts: int, unfair: Mapping[Contrast, str] | None = None
) -> tuple[RatioRow, ...]:
    """Paired ratios in both contrasts. Lost trials are left out: what they would have cost is unknown.

    `unfair`: by contrast why its arms may not be compared; what an agent uses is as much a result as its answer.
    """
    rows = []
    for contrast, arms in ARMS.items():
        spoilt = (unfair or {}).get(contrast, "")
        if not spoilt and not all(held.by_arm.get(arm) for arm in arms):
            continue
        for what, amount in AMOUNTS:
            found, because = (None, spoilt) if spoilt else _ratio(held, arms, amount, plan, attempts)
            rows.append(RatioRow(what=what, contrast=contrast, estimate=found, because=because))
    return tuple(rows)


def _ratio(
    held: Slots, arms: tuple[Arm, Arm], amount: Callable[[Trial], float | None], plan: LivePlan, attempts: int
) -> tuple[Estimate | None, str]:
    sides = [
        {key: [amount(t) for t in row if not t.missing] for key, row in within(held, arm, attempts).items()}
        for arm in arms
    ]
    if any(value is None for side in sides for row in side.values() for value in row):
        return None, "no price is known"
    strata = [
        Cell(
            key=key,
            a=tuple(value for value in sides[0].get(key, []) if value is not None),
            b=tuple(value for value in sides[1].get(key, []) if value is not None),
        )
        for key in held.keys(*arms)
    ]
    found = estimate(paired_ratio(strata, seed=plan.seed), seed=plan.seed)
    return found, "" if found else "too few runs a case, or no spread to see"
