"""Populations of cases whose true lift is known, for tests and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aces_ci.statistics.stratified import Cell

KINDS = ("beta.8", "half", "easy", "hard", "extreme")


def rates(kind: str, cases: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Success rate of the comparator in each case before an effect is added."""
    draws = {
        "beta.8": lambda: rng.beta(0.8, 0.8, cases),
        "half": lambda: np.full(cases, 0.5),
        "easy": lambda: rng.beta(6, 1, cases),
        "hard": lambda: rng.beta(1, 6, cases),
        "extreme": lambda: rng.beta(0.3, 0.3, cases),
    }
    return np.asarray(draws[kind]())


def shifted(kind: str, cases: int, lift: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """Rates (A, B) with A - B = lift in every case exactly: B is rescaled to leave room, never clipped."""
    low, high = max(0.0, -lift), min(1.0, 1.0 - lift)
    b = low + rates(kind, cases, rng) * (high - low)
    return b + lift, b


@dataclass(frozen=True)
class Draw:
    """Outcomes of one repetition: shape (cases, attempts) an arm, each 0 or 1 (or a score)."""

    a: NDArray[np.float64]
    b: NDArray[np.float64]

    def cells(self, first: int = 0, last: int | None = None) -> tuple[Cell, ...]:
        """One cell a case over a range of attempts."""
        return tuple(
            Cell(
                key=(f"c{i}", "h", "m"),
                a=tuple(map(float, self.a[i, first:last])),
                b=tuple(map(float, self.b[i, first:last])),
            )
            for i in range(len(self.a))
        )


def binary(kind: str, cases: int, attempts: int, lift: float, rng: np.random.Generator) -> Draw:
    """Pass or fail."""
    a, b = shifted(kind, cases, lift, rng)
    shape = (cases, attempts)
    return Draw(a=(rng.random(shape) < a[:, None]).astype(float), b=(rng.random(shape) < b[:, None]).astype(float))


def items(
    kind: str, cases: int, attempts: int, lift: float, rng: np.random.Generator, count: int = 5, tied: float = 0.5
) -> Draw:
    """Share of `count` checks passed; with probability `tied` a check copies the trial's own coin."""
    made = []
    for rate in shifted(kind, cases, lift, rng):
        common = rng.random((cases, attempts, 1)) < rate[:, None, None]
        own = rng.random((cases, attempts, count)) < rate[:, None, None]
        copy = rng.random((cases, attempts, count)) < tied
        made.append(np.where(copy, common, own).mean(axis=2))
    return Draw(a=made[0], b=made[1])
