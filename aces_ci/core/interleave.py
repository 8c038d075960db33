"""The order in which trials start: no arm before the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aces_ci.core.plan import PlannedTrial


def interleaved(rows: Sequence[PlannedTrial], seed: int) -> list[PlannedTrial]:
    """Stage by stage, attempt by attempt, and within an attempt in an order drawn from the seed.

    So at every moment the arms have equally many trials to within one attempt, and a slow hour of the provider
    falls on all of them.
    """
    drawn = random.Random(seed)
    ordered: list[PlannedTrial] = []
    for attempt in sorted({trial.attempt for trial in rows}):
        block = sorted((trial for trial in rows if trial.attempt == attempt), key=lambda trial: trial.digest)
        drawn.shuffle(block)
        ordered += block
    return ordered
