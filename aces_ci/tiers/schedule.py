"""Which trial starts next, and with which caps: money is reserved for both arms alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aces_ci.core.plan import PlannedTrial, TrialPlan, arms_of
from aces_ci.core.spending.control import Cap, Limits
from aces_ci.core.spending.price import bound
from aces_ci.tiers.purse import Purse

TRIAL_SHARES = 4
"""A trial may use so many times its equal share of the run's budget, or what one long request sets aside; the run's own
cap still holds."""


LONG_PROMPT = 400_000
"""Bytes of a long conversation with all its tools: as many tokens are set aside for it before it goes out."""
GRADING_SHARE = 5
"""One part of the budget in so many is kept from agents that a judge grades: what nobody can grade tells nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one run. None: no limit of that kind."""

    usd_micros: int | None = None
    kept_micros: int = 0
    """Of them, what agents leave for those who grade them."""
    minutes: float | None = None

    @classmethod
    def beside(cls, purse: Purse, minutes: float | None, *, judged: bool, paid_micros: int = 0) -> Budget:
        """The agents' part of a purse from which, where `judged`, those who grade them are paid too.

        `paid_micros`: what of it agents spent already, in earlier starts; the rest that is gone went to others.
        """
        if purse.cap is None:
            return cls(minutes=minutes)
        cap = max(0, purse.cap - (purse.spent - paid_micros))
        return cls(usd_micros=cap, kept_micros=cap // GRADING_SHARE if judged else 0, minutes=minutes)


def next_trials(missing: Sequence[PlannedTrial]) -> Iterator[PlannedTrial]:
    """In the plan's order, which is already interleaved."""
    yield from missing


class Rations:
    """What is left. The gateway enforces the caps; this only tells when starting another trial is pointless."""

    def __init__(
        self,
        budget: Budget,
        plan: TrialPlan,
        paid_micros: int = 0,
        now: Callable[[], float] = time.monotonic,
        max_output: int = Limits().max_output,
        least: int = 0,
    ) -> None:
        """`max_output`: tokens that one request's answer may have. `least`: what a first request sets aside."""
        self._budget, self._plan, self._now = budget, plan, now
        self._until = now() + budget.minutes * 60 if budget.minutes is not None else None
        self._left = max(0, (budget.usd_micros or 0) - budget.kept_micros - paid_micros)
        prices = [item.price for item in plan.contenders if item.price is not None]
        # What is set aside for a request is many times what it then costs: a share below that lets nothing out at all.
        self._one = max((bound(price, LONG_PROMPT, max_output) for price in prices), default=0)
        self._least = least
        self._arms = sum(len(arms_of(subject, plan.design.arms)) for subject in plan.subjects) or 1

    def caps(self, planned: PlannedTrial) -> tuple[Cap, ...]:
        """Caps of run, arm and trial for the gateway; equal for all arms. None where there is no budget."""
        if self._budget.usd_micros is None:
            return ()
        share = self._left // max(1, len(self._plan.trials))

        def cap(scope: str, micros: int) -> Cap:
            return Cap(scope=scope, usd_micros=min(self._left, max(1, self._one, micros)))

        return (
            Cap(scope="run", usd_micros=self._left),
            cap(f"arm:{planned.skill}:{planned.side}:{planned.arm.value}", 2 * self._left // self._arms),
            cap(f"trial:{planned.digest}", TRIAL_SHARES * share),
        )

    def empty(self, paid_micros: int, *, judged_away: bool = False) -> str:
        """Why nothing more may start after agents paid so much, or an empty text. `judged_away`: the purse is empty."""
        cap, kept = self._budget.usd_micros, self._budget.kept_micros
        # Nothing is enough for a server of one's own, whose tokens cost nothing.
        free = cap == 0 and self._one == 0
        if cap is not None and not free and (judged_away or paid_micros >= cap - kept):
            rest = f", but for {kept / 1e6:.2f} USD that are kept for grading" if kept and not judged_away else ""
            return f"the budget of {cap / 1e6:.2f} USD is spent{rest}"
        if cap is not None and self._left < self._least:
            short = f"{self._left / 1e6:.2f} USD, and one request sets aside {self._least / 1e6:.2f} USD"
            return f"the budget of {cap / 1e6:.2f} USD leaves agents {short}"
        if self._until is not None and self._now() >= self._until:
            return f"the time of {self._budget.minutes:g} min is over"
        return ""


def code_of(stopped: str) -> str:
    """What a run that was cut short is filed under: `budget`, or `stopped` for all else."""
    return "budget" if "budget" in stopped or "cap" in stopped else "stopped"
