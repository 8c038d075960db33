"""Evidence of the live tier to one summary a skill: the same function for `report`, `live` and every look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aces_ci.core.amount import plural
from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.lift import OUTCOME, ScoreTable, Value, outcomes, table
from aces_ci.core.live import LiveSummary, Unfair, Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.statistics.equivalence import rules_out_drop
from aces_ci.statistics.intervals import mover_difference, suite_interval
from aces_ci.statistics.missing import bounds, count_missing
from aces_ci.statistics.population import tasks_like_these
from aces_ci.tiers.amounts import pass_rows, ratio_rows
from aces_ci.tiers.breakdown import arm_levels, case_rows, group_rows, metric_rows
from aces_ci.tiers.contrast import ARMS, Tested, estimate
from aces_ci.tiers.decide import GROUP, INFORM_ONLY, ISOLATED, VERSIONS, decide, deciding_mode
from aces_ci.tiers.fairness import Reason, unfair
from aces_ci.tiers.network import host_rows
from aces_ci.tiers.options import identical_differ, options, smallest_detectable
from aces_ci.tiers.seen import activation, agreement_of, answers_of, judge_of, use_levels, used, versions_of
from aces_ci.tiers.strata import Slots, cells, most, slots


def summarise(trials: Sequence[Trial], scores: Sequence[Score], plan: LivePlan | Mapping[str, object]) -> LiveSummary:
    """The live result of one skill from its trials and their scores.

    The base side's evals decide; the head's are a second summary in `head`. Pure, and the same whether the
    trials came from this run, a resumed one or several shards: looks are counted from attempts, so a rerun
    resumes spent alpha.

    Raises:
        ValueError: there is no trial, or they belong to several skills.
        UsageError: `plan` is a mapping that is not a plan.
    """
    skills = list(dict.fromkeys(trial.skill for trial in trials))
    if len(skills) != 1:
        raise ValueError(f"one skill at a time, not {len(skills)}")
    fixed = plan if isinstance(plan, LivePlan) else LivePlan.of(plan, skills[0])
    base = [trial for trial in trials if trial.side == "base"]
    head = [trial for trial in trials if trial.side == "head"]
    rows = table(scores)
    if not base and fixed.side != "base":
        summary = _one_side(skills[0], head, scores, rows, replace(fixed, cases={}))
        return replace(
            summary,
            cannot_gate=summary.cannot_gate or "the evals are this change's own: none on the base side",
        )
    summary = _one_side(skills[0], base, scores, rows, fixed)
    if head:
        second = _one_side(skills[0], head, scores, rows, replace(fixed, cases={}, spent=(0.0, 0.0)))
        summary = replace(summary, head=replace(second, cannot_gate="the head's own evals are shown, not gated"))
    return summary


def _one_side(
    skill: str, trials: Sequence[Trial], scores: Sequence[Score], rows: ScoreTable, plan: LivePlan
) -> LiveSummary:
    mode = deciding_mode(trials, plan)
    values = outcomes(trials, rows)
    held = slots([trial for trial in trials if trial.mode == mode], plan.cap)
    found = decide(held, scores, values, plan)
    main, why, basis = found.main, found.reasons.get(found.basis, ()), found.basis
    lifts = {contrast: _shown(tested, found.reasons[contrast]) for contrast, tested in found.tested.items()}
    if main is None and why:
        lifts[basis] = Lift(contrast=basis, metric=OUTCOME, pairs=0, estimate=None, because=why[0][1])
    attempts, alpha = main.attempts if main else most(held) or plan.looks[0], plan.alphas[0]
    every = [trial for arm in Arm for trial in held.trials(arm) if trial.attempt <= attempts]
    never = [arm for arm in plan.arms if not held.by_arm.get(arm)]
    planned = max(len(every), attempts * len(_strata(held, plan)) * len(plan.arms or held.by_arm))
    spoilt = {
        contrast: reasons[0][1]
        for contrast, reasons in found.reasons.items()
        if reasons and reasons[0][0] is not Unfair.UNVERIFIED
    }
    foul = any(kind not in INFORM_ONLY and kind is not Unfair.MISSING for kind, _ in why)
    inform = next((clause for kind, clause in why if kind in INFORM_ONLY), "")
    fair = main is not None and found.word is not Word.NO_VERDICT
    people = tasks_like_these(_case_lifts(main)) if main and fair else None
    return LiveSummary(
        skill=skill,
        word=found.word,
        because=found.because,
        change=lifts.get(Contrast.CHANGE),
        lift=lifts.get(Contrast.LIFT),
        arms=arm_levels(held, values, attempts),
        cases=case_rows(held, rows, values, plan, basis, attempts, fair=basis not in spoilt),
        metrics=metric_rows(held, rows, values, lifts, plan, attempts),
        rules_out_drop=rules_out_drop(main.cells) if main and fair else None,
        smallest_detectable=smallest_detectable(main, alpha) if main and fair else None,
        look=main.looks.look if main else 0,
        looks=len(plan.looks),
        basis=basis,
        unfair=tuple(kind for kind, _ in why),
        cannot_gate=inform or ("" if basis is Contrast.CHANGE else "there is no previous version that ran"),
        crossed=main is not None and main.looks.crossed is not None,
        futile=main is not None and main.looks.futile,
        stopped=plan.stopped if main and main.looks.look < len(plan.looks) else "",
        missing=planned - sum(values[trial.digest].value is not None for trial in every),
        planned=planned,
        beyond=sum(len(held.trials(arm)) for arm in Arm) - len(every),
        lost=_lost(main),
        lost_unequally=main is not None and main.missing.unequal,
        failed=sum(trial.ending in (Ending.AGENT_FAILED, Ending.TIMED_OUT) for trial in every),
        agents=len({(trial.harness, trial.model) for trial in every}),
        noise=identical_differ(main) if main and fair else None,
        missing_bounds=bounds(main.cells) if main and main.missing.any and not foul else None,
        alpha=alpha,
        skills=plan.skills,
        options=options(main, held, plan, alpha) if main and found.word is Word.CANNOT_TELL else (),
        population=estimate(people.interval) if people and not people.doubt else None,
        population_because=people.because if people else "",
        groups=group_rows(held, values, plan, basis, attempts, lifts),
        passes=pass_rows(held, values, plan, attempts),
        ratios=ratio_rows(held, plan, attempts, spoilt),
        routing_premium=None if Contrast.LIFT in spoilt else _premium(trials, scores, values, plan),
        notes=_notes(main, why, every, values, plan.spent, [arm for arm in never if arm not in ARMS[basis]]),
        floor=plan.floor,
        margin=plan.margin,
        seed=plan.seed or None,
        # Only the contrast that can gate spends: lift alone leaves what earlier runs of the comparison spent.
        spent=(main.looks.spent.lower, main.looks.spent.higher) if main and basis is Contrast.CHANGE else plan.spent,
        attempts=attempts,
        activation=activation(every, rows),
        skill_use=used(every, rows),
        skill_use_levels=use_levels(every, rows),
        versions=versions_of(every),
        connections=host_rows(trials, plan.surroundings.network or ()),
        judge=judge_of(every, rows),
        answers=answers_of(every),
        mode=mode,
        max_drop=plan.max_drop,
        sandbox=plan.surroundings.sandbox,
        network=plan.surroundings.network,
        neighbours=plan.surroundings.neighbours,
        **agreement_of(every, rows),
    )


def _strata(held: Slots, plan: LivePlan) -> set[tuple[str, str, str]]:
    """Strata that ran, and those that were to run."""
    ran = held.keys(*Arm)
    cases = plan.cases or {case for case, _, _ in ran}
    return {*ran, *((case, *agent) for case in cases for agent in plan.agents)}


def _lost(main: Tested | None) -> tuple[int, int, int, int]:
    if main is None:
        return 0, 0, 0, 0
    return main.missing.a, main.missing.planned_a, main.missing.b, main.missing.planned_b


def _shown(found: Tested, reasons: Sequence[Reason]) -> Lift:
    """An unfair contrast keeps no estimate; one that only informs keeps it, without a p."""
    if not reasons:
        return found.lift(OUTCOME)
    lift = found.lift(OUTCOME, reasons[0][1])
    hard = any(kind not in INFORM_ONLY for kind, _ in reasons)
    return replace(lift, estimate=None) if hard else lift


def _case_lifts(found: Tested) -> list[float]:
    by_case: dict[str, list[float]] = {}
    for cell in found.cells:
        if cell.paired:
            lift = sum(cell.a) / len(cell.a) - sum(cell.b) / len(cell.b)
            by_case.setdefault(cell.key[0], []).append(lift)
    return [sum(lifts) / len(lifts) for lifts in by_case.values()]


def _premium(
    trials: Sequence[Trial], scores: Sequence[Score], values: Mapping[str, Value], plan: LivePlan
) -> Estimate | None:
    """Group lift minus isolated lift against no skill; None where one of the workspaces did not run, or not fairly."""
    found, cases = [], set[str]()
    arms = ARMS[Contrast.LIFT]
    for mode in (GROUP, ISOLATED):
        held = slots([trial for trial in trials if trial.mode == mode], plan.cap)
        strata = cells(held, arms, plan.cap, values)
        interval = suite_interval(strata)
        both = [trial for arm in arms for trial in held.trials(arm)]
        if interval is None or unfair(both, scores, count_missing(strata)):
            return None
        found.append(interval)
        cases |= {cell.key[0] for cell in strata if cell.paired}
    return estimate(mover_difference(found[0], found[1]), cases=len(cases))


def _notes(
    main: Tested | None,
    why: Sequence[Reason],
    trials: Sequence[Trial],
    values: Mapping[str, Value],
    spent: tuple[float, float],
    never: Sequence[Arm],
) -> tuple[str, ...]:
    notes = [clause for _, clause in why[1:]]
    notes += [f"no run came of {VERSIONS[arm]}, which was planned too" for arm in never]
    if max(spent) > 0:
        gone = " and ".join(f"{share:.4f}".removeprefix("0") for share in spent)
        notes.append(f"alpha spent by an earlier run of this comparison, whose trials are gone: {gone} (worse, better)")
    if main is not None:
        dropped = [cell.key[0] for cell in main.cells if not cell.paired]
        if dropped:
            notes.append(f"left out, no scored run in one arm: {', '.join(dict.fromkeys(dropped))}")
    causes: dict[str, int] = {}
    for trial in trials:
        value = values[trial.digest]
        if value.value is None:
            causes[value.because] = causes.get(value.because, 0) + 1
    notes += [f"{plural(count, 'run')} not scored: {because}" for because, count in causes.items()]
    return tuple(notes)
