"""What trials that have not run yet are expected to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.spending.price import Price, cost
from aces_ci.core.trial import Usage

_TYPICAL = Usage(input_tokens=12_000, output_tokens=2_000, cache_read_tokens=36_000, requests=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What one trial is expected to take; the mean of recorded ones where there are any."""

    usage: Usage = _TYPICAL
    seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Estimates before the first trial: from `new` trials, not from those that are already there."""

    trials: int
    reused: int
    new: int
    tokens: int
    usd_micros: int | None
    """None: no price is known for a model."""
    minutes: float


def forecast(prices: Sequence[Price | None], total: int, workers: int, expected: Expected) -> Forecast:
    """Of `total` trials, of which those with `prices` are still to run."""
    known = [cost(price, expected.usage) for price in prices if price is not None]
    new = len(prices)
    return Forecast(
        trials=total,
        reused=total - new,
        new=new,
        tokens=new * expected.usage.tokens,
        usd_micros=sum(known) if len(known) == new else None,
        minutes=round(new * expected.seconds / max(1, workers) / 60, 1),
    )
