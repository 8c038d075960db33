"""Tasks like these: the case as the unit, where there are enough cases to speak at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from aces_ci.statistics.intervals import Interval

ENOUGH = 8
"""From here on the t interval covers .93 to .97 on lifts like the published ones."""
SHOWN_WITH_DOUBT = 4
TIED_ENOUGH = 20
TIED_SHARE = 0.7
"""With more than this share of equal lifts a few cases carry everything, and t covers .73 at 8 cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The interval for tasks like these, or why there is none. `doubt` marks one that must be read as
    such."""

    interval: Interval | None
    doubt: bool
    because: str


def tasks_like_these(lifts: Sequence[float], level: float = 0.95) -> Population:
    """t interval over the lifts of cases (one a case), from 8 cases; from 4 with doubt; withheld when tied.

    Assumes that cases were drawn from the tasks one cares about, which hand-written suites are not.
    """
    count = len(lifts)
    if count < SHOWN_WITH_DOUBT:
        return Population(interval=None, doubt=True, because="too few cases to speak for tasks like these")
    top = Counter(round(lift, 9) for lift in lifts).most_common(1)[0][1]
    if top > TIED_SHARE * count and count < TIED_ENOUGH:
        return Population(
            interval=None,
            doubt=True,
            because=f"{top} of {count} cases have the same value: 20 cases are needed",
        )
    mean, spread = float(np.mean(lifts)), float(np.std(lifts, ddof=1))
    if spread <= 1e-9:
        return Population(interval=None, doubt=True, because="all cases have the same value: no spread to see")
    half = float(stdtrit(count - 1, (1 + level) / 2)) * spread / count**0.5
    interval = Interval(
        point=mean,
        low=max(-1.0, mean - half),
        high=min(1.0, mean + half),
        method="t over cases",
        level=level,
        n=count,
    )
    if count < ENOUGH:
        return Population(
            interval=interval, doubt=True, because="fewer than 8 cases: assumes they were drawn at random"
        )
    return Population(interval=interval, doubt=False, because="assumes the cases were drawn at random")
