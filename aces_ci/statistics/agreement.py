"""How much two votes of a judge disagree, and how much that shrinks a lift.

Votes are never resampled into an interval: independent vote error is already in the spread between trials,
and counting it twice made intervals 13 % too wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two votes an item. `flip_rate` is a lower bound: both votes come from one model."""

    items: int
    agree: int
    flip_rate: float | None
    """None where votes differ so often (half or more) that no symmetric error explains it, or without
    items."""
    shrinks: float | None
    """Share by which the judge shrinks every lift: an observed lift is (1 - 2e) times the true one."""

    @property
    def share(self) -> float | None:
        """Share of items on which both votes agree."""
        return self.agree / self.items if self.items else None


def flip_rate(disagreement: float) -> float | None:
    """Error of one vote from the share of items on which two votes differ: (1 - sqrt(1 - 2D)) / 2.

    Assumes symmetric errors, independent between votes.
    """
    if not 0 <= disagreement < 0.5:
        return None
    return (1 - sqrt(1 - 2 * disagreement)) / 2


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """From the first two votes of every item."""
    agree = sum(first == second for first, second in pairs)
    rate = flip_rate(1 - agree / len(pairs)) if pairs else None
    return Agreement(items=len(pairs), agree=agree, flip_rate=rate, shrinks=None if rate is None else 2 * rate)


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa (1960) of two raters; None where agreement by chance is certain or there is no item."""
    if not pairs:
        return None
    count = len(pairs)
    observed = sum(first == second for first, second in pairs) / count
    first_yes, second_yes = sum(f for f, _ in pairs) / count, sum(s for _, s in pairs) / count
    chance = first_yes * second_yes + (1 - first_yes) * (1 - second_yes)
    return None if chance >= 1 else (observed - chance) / (1 - chance)
