"""A number that never comes without its uncertainty, and the lift made of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Contrast(StrEnum):
    """`change` is with_skill - previous and may gate; `lift` is with_skill - baseline."""

    CHANGE = "change"
    LIFT = "lift"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A difference (or a level) in [−1, 1] with its interval; `n` counts paired cases."""

    point: float
    low: float
    high: float
    n: int
    method: str
    level: float = 0.95
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """One contrast of one metric. Without an estimate `because` says why there is none."""

    contrast: Contrast
    metric: str
    pairs: int
    """Cases with at least one scored trial in both arms."""
    estimate: Estimate | None
    p: float | None = None
    """Two-sided, in stage-wise ordering."""
    threshold: float | None = None
    """What p is held against: the error that may be spent up to this look, both sides together."""
    because: str = ""
