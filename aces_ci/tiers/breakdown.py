"""Everything shown beside the number that decided: arms, cases, metrics, groups, passes, ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.lift import (
    COMPOSITE,
    OUTCOME,
    OUTCOME_METRICS,
    OUTCOME_PARTS,
    SIX,
    ScoreTable,
    Value,
    composites,
    single,
)
from aces_ci.core.live import ArmLevel, CaseRow, GroupRow, MetricRow
from aces_ci.core.live_plan import LivePlan, PlannedCase
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.flips import worse_cases, worse_harnesses
from aces_ci.statistics.levels import level_interval
from aces_ci.statistics.stratified import Cell
from aces_ci.tiers.contrast import ARMS, describe, estimate
from aces_ci.tiers.fairness import mixed
from aces_ci.tiers.seen import AVOIDANCE
from aces_ci.tiers.strata import Slots, cells

SHOWN_ARMS = (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL)
"""In the order of the table: from nothing to this change."""


def mean(values: Sequence[float]) -> float | None:
    """None of nothing."""
    return sum(values) / len(values) if values else None


def within(held: Slots, arm: Arm, attempts: int) -> dict[tuple[str, str, str], list[Trial]]:
    """Trials of one arm by stratum, up to the attempts that the numbers rest on."""
    return {
        key: [trial for number, trial in row.items() if number <= attempts]
        for key, row in held.by_arm.get(arm, {}).items()
    }


def scored(trials: Sequence[Trial], values: Mapping[str, Value]) -> list[float]:
    """The numbers there are."""
    return [
        value.value
        for value in (values.get(trial.digest) for trial in trials)
        if value is not None and value.value is not None
    ]


def arm_levels(held: Slots, values: Mapping[str, Value], attempts: int) -> tuple[ArmLevel, ...]:
    """One row an arm that ran."""
    rows = []
    for arm in SHOWN_ARMS:
        strata = within(held, arm, attempts)
        trials = [trial for row in strata.values() for trial in row]
        if not trials:
            continue
        seen = [trial for trial in trials if not trial.missing]
        costs = [trial.usage.usd_micros for trial in seen]
        known = [cost for cost in costs if cost is not None]
        rows.append(
            ArmLevel(
                arm=arm,
                outcome=estimate(
                    level_interval([scored(row, values) for row in strata.values()]),
                    cases=len({key[0] for key, row in strata.items() if scored(row, values)}),
                ),
                trials=len(trials),
                missing=sum(values[trial.digest].value is None for trial in trials),
                tokens=mean([float(trial.usage.tokens) for trial in seen]),
                usd_micros=mean([float(cost) for cost in known]) if len(known) == len(costs) else None,
                recorded=next((trial.recorded for trial in trials if trial.recorded), None),
            )
        )
    return tuple(rows)


def case_level(held: Slots, arm: Arm, case: str, values: Mapping[str, Value], attempts: int) -> float | None:
    """Mean over strata of one case of their mean over attempts."""
    strata = [scored(row, values) for key, row in within(held, arm, attempts).items() if key[0] == case]
    return mean([sum(row) / len(row) for row in strata if row])


def must_stay_out(held: Slots, scores: ScoreTable) -> frozenset[str]:
    """Cases that were graded as negative ones."""
    return frozenset(
        trial.case
        for arm in Arm
        for trial in held.trials(arm)
        if (score := scores.get(trial.digest, {}).get("skill_execution")) is not None
        and any(part.name == AVOIDANCE for part in score.parts)
    )


def case_rows(
    held: Slots,
    scores: ScoreTable,
    values: Mapping[str, Value],
    plan: LivePlan,
    contrast: Contrast,
    attempts: int,
    *,
    fair: bool = True,
) -> tuple[CaseRow, ...]:
    """One row a case, in the order of the plan, else of first appearance. None looks worse in arms that may not be
    compared."""
    stay_out = must_stay_out(held, scores)
    order = tuple(dict.fromkeys((*plan.cases, *(key[0] for key in held.keys(*Arm)))))
    by_case: dict[str, list[Cell]] = {}
    for cell in cells(held, ARMS[contrast], attempts, values):
        by_case.setdefault(cell.key[0], []).append(cell)
    worse = worse_cases(by_case) if fair else ()
    rows = []
    for case in order:
        known = plan.cases.get(case, PlannedCase())
        runs = max(
            (len(row) for arm in Arm for key, row in within(held, arm, attempts).items() if key[0] == case),
            default=0,
        )
        rows.append(
            CaseRow(
                case=case,
                negative=known.negative or case in stay_out,
                levels=tuple(
                    (arm, case_level(held, arm, case, values, attempts)) for arm in SHOWN_ARMS if held.by_arm.get(arm)
                ),
                runs=runs,
                flagged=case in worse,
                bucket=known.bucket,
            )
        )
    return tuple(rows)


def _levels(held: Slots, values: Mapping[str, Value], attempts: int) -> tuple[tuple[Arm, float | None], ...]:
    cases = dict.fromkeys(key[0] for key in held.keys(*Arm))
    rows = []
    for arm in SHOWN_ARMS:
        if held.by_arm.get(arm):
            per_case = [case_level(held, arm, case, values, attempts) for case in cases]
            rows.append((arm, mean([level for level in per_case if level is not None])))
    return tuple(rows)


def metric_rows(
    held: Slots,
    scores: ScoreTable,
    outcome: Mapping[str, Value],
    tested: Mapping[Contrast, Lift],
    plan: LivePlan,
    attempts: int,
) -> tuple[MetricRow, ...]:
    """The outcome first, then what it is made of, then the process metrics, other metrics, and the
    composite last."""
    trials = [trial for arm in Arm for trial in held.trials(arm)]
    extra = sorted(
        {name for trial in trials for name in scores.get(trial.digest, {})} - {*OUTCOME_PARTS, *SIX, OUTCOME}
    )
    rows = [
        MetricRow(
            metric=OUTCOME,
            levels=_levels(held, outcome, attempts),
            change=tested.get(Contrast.CHANGE),
            lift=tested.get(Contrast.LIFT),
            part="outcome",
        )
    ]
    named = [(name, single(trials, scores, name)) for name in dict.fromkeys((*OUTCOME_PARTS, *SIX, *extra))]
    named.append((COMPOSITE, composites(trials, scores, plan.weights)))
    ways = mixed(trials, (score for rows in scores.values() for score in rows.values()), [name for name, _ in named])
    if set(ways) & set(SIX):
        ways[COMPOSITE] = next(names for metric, names in ways.items() if metric in SIX)
    for name, values in named:
        if not any(value.value is not None for value in values.values()):
            continue
        graded = [
            score for trial in trials if (score := scores.get(trial.digest, {}).get(name)) and score.value is not None
        ]
        methods = {score.method for score in graded}
        rows.append(
            MetricRow(
                metric=name,
                levels=_levels(held, values, attempts),
                change=_fair(describe(held, Contrast.CHANGE, name, values, attempts), tested, ways.get(name)),
                lift=_fair(describe(held, Contrast.LIFT, name, values, attempts), tested, ways.get(name)),
                part="outcome" if name in OUTCOME_METRICS else "process",
                method=methods.pop() if len(methods) == 1 else "",
                fallback=next((score.fallback for score in graded if score.fallback), ""),
            )
        )
    return tuple(rows)


def _fair(described: Lift | None, tested: Mapping[Contrast, Lift], ways: Sequence[str] | None = None) -> Lift | None:
    """No metric keeps an estimate in a contrast whose outcome lost it for unfairness, or with several `ways`."""
    if described is not None and ways:
        return replace(described, estimate=None, because=f"graded in {len(ways)} ways: {', '.join(ways)}")
    outcome = None if described is None else tested.get(described.contrast)
    if described is None or outcome is None or outcome.estimate is not None or not outcome.because:
        return described
    return replace(described, estimate=None, because=outcome.because)


def group_rows(
    held: Slots,
    values: Mapping[str, Value],
    plan: LivePlan,
    contrast: Contrast,
    attempts: int,
    tested: Mapping[Contrast, Lift],
) -> tuple[GroupRow, ...]:
    """Harnesses, models and buckets, each where there are at least two of them; no estimate where `tested` has none."""
    keys = held.keys(*Arm)
    by_harness: dict[str, list[Cell]] = {}
    for cell in cells(held, ARMS[contrast], attempts, values):
        by_harness.setdefault(cell.key[1], []).append(cell)
    deciding = tested.get(contrast)
    worse = () if deciding is None or deciding.because else worse_harnesses(by_harness)
    buckets = {case: planned.bucket for case, planned in plan.cases.items() if planned.bucket}
    kinds: tuple[tuple[str, dict[tuple[str, str, str], str]], ...] = (
        ("harness", {key: key[1] for key in keys}),
        ("model", {key: key[2] for key in keys}),
        ("bucket", {key: bucket for key in keys if (bucket := buckets.get(key[0]))}),
    )
    rows = []
    for kind, names in kinds:
        distinct = dict.fromkeys(names.values())
        if len(distinct) < 2:
            continue
        for name in distinct:
            part = Slots(
                by_arm={
                    arm: {key: row for key, row in strata.items() if names.get(key) == name}
                    for arm, strata in held.by_arm.items()
                }
            )
            rows.append(
                GroupRow(
                    kind=kind,
                    name=name,
                    change=_fair(describe(part, Contrast.CHANGE, OUTCOME, values, attempts), tested),
                    lift=_fair(describe(part, Contrast.LIFT, OUTCOME, values, attempts), tested),
                    flagged=kind == "harness" and name in worse,
                )
            )
    return tuple(rows)
