"""How far two equal arms drift apart by chance, measured on recorded runs: within a day, and between days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from aces_ci.core.evidence import Evidence, RunStarted
from aces_ci.core.lift import outcomes, table
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.noise import DayNoise, day_noise, floor_from, shrunk_variance
from aces_ci.statistics.stratified import Cell, grid_of

CellKey = tuple[str, str, str, str]
"""Skill, case, harness, model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillNoise:
    """One skill's noise. Points are shares in [0, 1]."""

    skill: str
    cases: int
    attempts: int
    """Of the design that the floor is for, per arm and case."""
    runs: int
    """Scored trials that it rests on."""
    spread: float
    """Mean within-cell standard deviation of one trial's outcome."""
    floor: float
    """Observed lifts of two equal arms stay below this in 95 of 100 repetitions."""
    day: DayNoise


def measure(files: Sequence[Iterable[Evidence]], attempts: int) -> tuple[SkillNoise, ...]:
    """The noise of every skill over the evidence of several runs; a file is one day's measurement.

    Every arm counts: within one arm of one case nothing differs between attempts, so its spread is noise whatever the
    skill. A/A runs (the same skill in two arms) only add more of it.
    """
    days: dict[str, dict[str, list[tuple[CellKey, Arm, float]]]] = {}
    for lines in files:
        rows = list(lines)
        day = next((row.started[:10] for row in rows if isinstance(row, RunStarted)), "")
        trials = [row for row in rows if isinstance(row, Trial)]
        values = outcomes(trials, table(row for row in rows if isinstance(row, Score)))
        for trial in trials:
            value = values[trial.digest].value
            if value is not None:
                key = (trial.skill, trial.case, trial.harness, trial.model)
                days.setdefault(trial.skill, {}).setdefault(day, []).append((key, trial.arm, value))
    return tuple(_of(skill, by_day, attempts) for skill, by_day in sorted(days.items()))


def _of(skill: str, by_day: dict[str, list[tuple[CellKey, Arm, float]]], attempts: int) -> SkillNoise:
    cells: dict[CellKey, list[Cell]] = {}
    for rows in by_day.values():
        for (key, _), scores in _grouped(rows).items():
            cells.setdefault(key, []).append(Cell(key=key, a=tuple(scores), b=()))
    grid = grid_of([cell for same in cells.values() for cell in same])
    variances = [sum(shrunk_variance(cell, grid) for cell in same) / len(same) for same in cells.values()]
    return SkillNoise(
        skill=skill,
        cases=len({key[1] for key in cells}),
        attempts=attempts,
        runs=sum(len(rows) for rows in by_day.values()),
        spread=sqrt(sum(variances) / len(variances)),
        floor=floor_from(variances, attempts),
        day=_between(by_day),
    )


def _grouped(rows: Sequence[tuple[CellKey, Arm, float]]) -> dict[tuple[CellKey, Arm], list[float]]:
    found: dict[tuple[CellKey, Arm], list[float]] = {}
    for key, arm, value in rows:
        found.setdefault((key, arm), []).append(value)
    return found


def _between(by_day: dict[str, list[tuple[CellKey, Arm, float]]]) -> DayNoise:
    """From the arm that most days have: its mean, cases weighted equally, and the standard error of it."""
    arms = {arm: sum(any(a is arm for _, a, _ in rows) for rows in by_day.values()) for arm in Arm}
    arm = max(arms, key=lambda name: arms[name])
    means, errors = [], []
    for rows in by_day.values():
        cells = [scores for (_, a), scores in _grouped(rows).items() if a is arm]
        if cells:
            grid = grid_of([Cell(key=("", "", ""), a=tuple(scores), b=()) for scores in cells])
            means.append(sum(sum(scores) / len(scores) for scores in cells) / len(cells))
            terms = [shrunk_variance(Cell(key=("",), a=tuple(s), b=()), grid) / len(s) for s in cells]
            errors.append(sqrt(sum(terms)) / len(cells))
    return day_noise(means, errors)
