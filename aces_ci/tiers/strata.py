"""Trials to strata: which attempts stand beside which, at which look, in which arm."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.lift import Value
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.sequential import Stage
from aces_ci.statistics.stratified import Cell

Key = tuple[str, str, str]
"""Case, harness, model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """One trial a slot. A retried trial stands in the slot of the one that was lost; it never adds an
    attempt."""

    by_arm: Mapping[Arm, Mapping[Key, Mapping[int, Trial]]]
    """Arm to stratum to attempt (1-based) to trial."""

    def trials(self, arm: Arm) -> tuple[Trial, ...]:
        """Every trial that counts in one arm."""
        return tuple(trial for row in self.by_arm.get(arm, {}).values() for trial in row.values())

    def keys(self, *arms: Arm) -> tuple[Key, ...]:
        """Strata that any of the arms has, in order of first appearance."""
        return tuple(dict.fromkeys(key for arm in arms for key in self.by_arm.get(arm, {})))


def slots(trials: Sequence[Trial], cap: int) -> Slots:
    """Sort trials into slots. Attempts beyond the cap of the plan are left out: nobody planned a look at
    them."""
    rows: dict[Arm, dict[Key, dict[int, Trial]]] = {}
    for trial in trials:
        if not 1 <= trial.attempt <= cap:
            continue
        row = rows.setdefault(trial.arm, {}).setdefault((trial.case, trial.harness, trial.model), {})
        held = row.get(trial.attempt)
        if held is None or held.missing:
            row[trial.attempt] = trial
    return Slots(by_arm=rows)


def most(held: Slots) -> int:
    """The highest attempt that any stratum of any arm has; 0 without a trial."""
    rows = (row for strata in held.by_arm.values() for row in strata.values())
    return max((attempt for row in rows for attempt in row), default=0)


def complete_looks(
    held: Slots,
    arms: tuple[Arm, Arm],
    looks: Sequence[int],
    cases: Collection[str],
    agents: Collection[tuple[str, str]] = (),
) -> int:
    """How many looks are complete: every stratum has all their attempts in both arms, lost ones included.

    `cases` and `agents` (harness, model) are the planned ones, so one that never ran keeps a look open.
    """
    keys = held.keys(*arms)
    if not keys or set(cases) - {case for case, _, _ in keys}:
        return 0
    if {(case, *agent) for case in cases or {key[0] for key in keys} for agent in agents} - set(keys):
        return 0
    done = 0
    for look in looks:
        wanted = range(1, look + 1)
        if all(attempt in held.by_arm.get(arm, {}).get(key, {}) for arm in arms for key in keys for attempt in wanted):
            done += 1
        else:
            break
    return done


def _cell(held: Slots, arms: tuple[Arm, Arm], key: Key, attempts: range, values: Mapping[str, Value]) -> Cell:
    scored: list[tuple[float, ...]] = []
    lost: list[int] = []
    for arm in arms:
        row = held.by_arm.get(arm, {}).get(key, {})
        known = [values[row[n].digest].value for n in attempts if n in row and row[n].digest in values]
        scored.append(tuple(value for value in known if value is not None))
        lost.append(sum(value is None for value in known))
    return Cell(key=key, a=scored[0], b=scored[1], missing_a=lost[0], missing_b=lost[1])


def stages(held: Slots, arms: tuple[Arm, Arm], looks: Sequence[int], values: Mapping[str, Value]) -> tuple[Stage, ...]:
    """One stage a look, each with a cell a stratum; attempts belong to a look by their number."""
    keys, before, made = held.keys(*arms), 0, []
    for look in looks:
        attempts = range(before + 1, look + 1)
        made.append(
            Stage(
                attempts=look - before,
                cells=tuple(_cell(held, arms, key, attempts, values) for key in keys),
            )
        )
        before = look
    return tuple(made)


def cells(held: Slots, arms: tuple[Arm, Arm], attempts: int, values: Mapping[str, Value]) -> tuple[Cell, ...]:
    """One cell a stratum over the first `attempts` attempts: what estimates and intervals rest on."""
    return tuple(_cell(held, arms, key, range(1, attempts + 1), values) for key in held.keys(*arms))
