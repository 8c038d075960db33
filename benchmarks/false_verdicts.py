"""False verdicts and power with lost runs, judge noise, scores and looks together, through the code path of `report`.

    .venv/bin/python benchmarks/false_verdicts.py [--runs 2000] [--design 4x8] [--data scores] [--lost nothing]

A row is a design, a kind of data and a way of losing runs. It states the largest total error (regressed and improved)
over four populations of identical arms, and the power at a true -.4 in the very same condition, each with its Monte
Carlo standard error; the lift that was realised stands beside the power. The program ends with exit code 1 where an
error exceeds .05 by more than three standard errors or a realised lift is not the stated one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import path as import_path

import numpy as np
from numpy.typing import NDArray

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from aces_ci.core.live import Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm
from benchmarks.size_power import Draws, evidence, flipped, rate, word_of
from tests.statistics.populations import KINDS, Draw, binary, items

DESIGNS: dict[str, tuple[int, tuple[int, ...]]] = {
    "3x1": (3, (1,)),
    "4x3": (4, (3,)),
    "4x5": (4, (3, 5)),
    "4x8": (4, (3, 5, 8)),
    "6x3": (6, (3,)),
    "10x3": (10, (3,)),
}
"""Cases and looks."""
JUDGE_ERROR = 0.1
"""Chance that the judge answers one question wrongly, blind to the arm."""
LIFT = -0.4
NULLS = tuple(kind for kind in KINDS if kind != "beta.8")
"""Populations of identical arms; `size_power.py` has beta.8 beside them."""
Loses = Callable[[Arm, float, float], float]
"""(arm, the trial's score before the judge, when it ran as a share of the run) to the chance that it is lost."""


def _failed(score: float) -> bool:
    return score < 0.5


LOSSES: dict[str, Loses] = {
    "nothing": lambda arm, score, when: 0.0,
    "10 % of both arms": lambda arm, score, when: 0.1,
    "10 % of main": lambda arm, score, when: 0.1 * (arm is Arm.PREVIOUS),
    "50 % of main": lambda arm, score, when: 0.5 * (arm is Arm.PREVIOUS),
    "outage, 15 % of the run": lambda arm, score, when: float(0.5 <= when < 0.65),
    "half of main's failures": lambda arm, score, when: 0.5 * (arm is Arm.PREVIOUS and _failed(score)),
    "half of this one's failures": lambda arm, score, when: 0.5 * (arm is Arm.WITH_SKILL and _failed(score)),
}


def passes(kind: str, cases: int, attempts: int, lift: float, rng: np.random.Generator) -> Draw:
    """Pass or fail."""
    return binary(kind, cases, attempts, lift, rng)


def scores(kind: str, cases: int, attempts: int, lift: float, rng: np.random.Generator) -> Draw:
    """Five correlated checks a run."""
    return items(kind, cases, attempts, lift, rng)


DATA: dict[str, tuple[Draws, int]] = {"passes": (passes, 1), "scores": (scores, 5)}
"""How outcomes are drawn, and of how many judged questions each is made."""


@dataclass(frozen=True)
class Condition:
    """One row."""

    design: str
    data: str
    loss: str

    @property
    def plan(self) -> LivePlan:
        """The looks of the design; all else as shipped."""
        return LivePlan(looks=DESIGNS[self.design][1])


def run(
    row: Condition, kind: str, lift: float, runs: int, rng: np.random.Generator, realised: list[float]
) -> Iterator[tuple[Draw, Draw]]:
    """`runs` repetitions: what the judge made of what happened, and which runs were not lost (1) or were (0)."""
    cases, looks = DESIGNS[row.design]
    draws, questions = DATA[row.data]
    loses = LOSSES[row.loss]
    attempts = looks[-1]
    for _ in range(runs):
        true = draws(kind, cases, attempts, lift, rng)
        realised.append(float(true.a.mean() - true.b.mean()))
        told = Draw(a=flipped(true.a, JUDGE_ERROR, rng, questions), b=flipped(true.b, JUDGE_ERROR, rng, questions))
        # The engine goes attempt by attempt, and inside an attempt in a random order over cases and arms.
        turn = rng.random((attempts, 2 * cases)).argsort(axis=1).argsort(axis=1).reshape(-1, 2, cases) / (2 * cases)
        kept = [np.ones((cases, attempts)), np.ones((cases, attempts))]
        for place, (arm, outcomes) in enumerate(((Arm.WITH_SKILL, true.a), (Arm.PREVIOUS, true.b))):
            for case, attempt in np.ndindex(cases, attempts):
                when = (attempt + turn[attempt, place, case]) / attempts
                chance = loses(arm, float(outcomes[case, attempt]), when)
                if chance and rng.random() < chance:
                    kept[place][case, attempt] = 0
        yield told, Draw(a=kept[0], b=kept[1])


def words(row: Condition, kind: str, lift: float, runs: int, seed: int) -> tuple[Counter[Word], NDArray[np.float64]]:
    """How often each word was said, and the true difference of the arms in each repetition.

    The word does not depend on the order of cases, nor on that of attempts inside a stage, so a table that came up
    before is not evaluated again.
    """
    rng, said, realised = np.random.default_rng(seed), Counter[Word](), list[float]()
    known: dict[object, Word] = {}
    for told, kept in run(row, kind, lift, runs, rng, realised):
        table = _table(told, kept, row.plan.looks)
        if table not in known:
            gone = {
                f"{arm.value}/{case}/{attempt + 1}"
                for arm, mask in ((Arm.WITH_SKILL, kept.a), (Arm.PREVIOUS, kept.b))
                for case, attempt in zip(*np.nonzero(mask == 0), strict=True)
            }
            known[table] = word_of(*evidence(told, gone), row.plan)[0]
        said[known[table]] += 1
    return said, np.asarray(realised)


def _table(told: Draw, kept: Draw, looks: tuple[int, ...]) -> object:
    """Scores by case, stage and arm, without their order."""
    edges = (0, *looks)
    rows = []
    for case in range(len(told.a)):
        cells = []
        for first, last in zip(edges, looks, strict=False):
            for arm, mask in ((told.a, kept.a), (told.b, kept.b)):
                scored = arm[case, first:last][mask[case, first:last] > 0]
                cells.append(tuple(sorted(map(float, scored))))
        rows.append(tuple(cells))
    return tuple(sorted(rows))


def shown(row: Condition, runs: int, seed: int) -> bool:
    """Print one row; whether it keeps the promise."""
    false: dict[str, int] = {}
    silent = 0
    for kind in NULLS:
        said, _ = words(row, kind, 0.0, runs, seed)
        false[kind] = said[Word.REGRESSED] + said[Word.IMPROVED]
        silent += said[Word.NO_VERDICT]
    found, realised = words(row, "beta.8", LIFT, runs, seed)
    worst = max(false, key=lambda kind: false[kind])
    limit = 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    stated = abs(realised.mean() - LIFT) <= 4 * realised.std() / runs**0.5
    kept = false[worst] / runs <= limit and found[Word.IMPROVED] / runs <= limit and stated
    print(
        f"{row.design:>5} {row.data:>7} {row.loss:>28}  {rate(false[worst], runs)} {worst:>8}  "
        f"{silent / len(NULLS) / runs:>4.2f}   {rate(found[Word.REGRESSED], runs)} "
        f"{found[Word.NO_VERDICT] / runs:>6.2f} {realised.mean():>8.3f}{'' if kept else '  BROKEN'}",
        flush=True,
    )
    return kept


def main() -> None:
    """Every row, or those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--design", choices=DESIGNS, action="append")
    parser.add_argument("--data", choices=DATA, action="append")
    parser.add_argument("--lost", choices=LOSSES, action="append")
    parser.add_argument("--seed", type=int, default=2001)
    given = parser.parse_args()
    print(f"runs {given.runs} a population, judge error {JUDGE_ERROR}, seed {given.seed}")
    print(
        f"{'':>5} {'data':>7} {'lost':>28}  {'largest error':>13} {'where':>8}  {'none':>4}   "
        f"{'power at -.4':>13} {'none':>6} {'realised':>8}"
    )
    kept = [
        shown(Condition(design=design, data=data, loss=loss), given.runs, given.seed)
        for design in given.design or DESIGNS
        for data in given.data or DATA
        for loss in given.lost or LOSSES
    ]
    if not all(kept):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
