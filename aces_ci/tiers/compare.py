"""Evidence of the live tier to one summary a skill: the same function for `report`, `live` and every look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.evidence import ChangedSkill, Evidence, RunStarted, Skipped, Tier
from aces_ci.core.lift import OUTCOME, ScoreTable, Value, outcomes, table
from aces_ci.core.live import LiveSummary, Unfair, Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.statistics.equivalence import rules_out_drop
from aces_ci.statistics.intervals import Interval, mover_difference, suite_interval
from aces_ci.statistics.missing import bounds
from aces_ci.statistics.population import tasks_like_these
from aces_ci.tiers.amounts import pass_rows, ratio_rows
from aces_ci.tiers.breakdown import arm_levels, case_rows, group_rows, metric_rows
from aces_ci.tiers.contrast import ARMS, Tested, estimate, evaluate
from aces_ci.tiers.fairness import Reason, unfair
from aces_ci.tiers.network import host_rows
from aces_ci.tiers.options import identical_differ, options, smallest_detectable
from aces_ci.tiers.seen import activation, agreement_of, judge_of, used, versions_of
from aces_ci.tiers.strata import Slots, cells, slots
from aces_ci.tiers.words import word

GROUP, ISOLATED = "group", "isolated"
_INFORM_ONLY = frozenset({Unfair.STORED, Unfair.UNVERIFIED})


def summaries(evidence: Iterable[Evidence]) -> dict[str, LiveSummary]:
    """One summary for every skill that has trials, by path; alpha is divided by the skills that the plan
    named.

    Raises:
        UsageError: the settings in the header are not a plan.
    """
    lines = list(evidence)
    settings: Mapping[str, object] = next((e.settings for e in lines if isinstance(e, RunStarted)), {})
    trials = [line for line in lines if isinstance(line, Trial)]
    scores = [line for line in lines if isinstance(line, Score)]
    paths = list(dict.fromkeys(trial.skill for trial in trials))
    planned = [line for line in lines if isinstance(line, ChangedSkill) and line.has_evals]
    stops = {line.skill: line.because for line in lines if isinstance(line, Skipped) and _is_budget(line)}
    found = {}
    for path in paths:
        stopped = stops.get(path, stops.get(None, ""))
        plan = LivePlan.of(settings, path, skills=max(len(paths), len(planned)), stopped=stopped)
        found[path] = summarise([trial for trial in trials if trial.skill == path], scores, plan)
    return found


def _is_budget(line: Skipped) -> bool:
    return line.tier is Tier.LIVE and line.code == "budget"


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
    if not base:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The word of one skill on one side's evals, and what it rests on."""

    basis: Contrast
    word: Word
    because: str
    tested: Mapping[Contrast, Tested]
    reasons: Mapping[Contrast, tuple[Reason, ...]]
    """Why a contrast is not fair, or may only inform."""

    @property
    def main(self) -> Tested | None:
        """The contrast that decides; None where only one arm ran."""
        return self.tested.get(self.basis)


def decide(held: Slots, scores: Sequence[Score], values: Mapping[str, Value], plan: LivePlan) -> Decision:
    """The word: *change* decides where a previous version ran, else *lift*. What the engine asks after
    every look."""
    basis = Contrast.CHANGE if held.by_arm.get(Arm.PREVIOUS) else Contrast.LIFT
    tested: dict[Contrast, Tested] = {}
    reasons: dict[Contrast, tuple[Reason, ...]] = {}
    for contrast in (basis, Contrast.LIFT):
        arms = ARMS[contrast]
        if contrast in tested or not all(held.by_arm.get(arm) for arm in arms):
            continue
        upto = tested[basis].looks.look or None if basis in tested else None
        tested[contrast] = evaluate(held, contrast, values, plan, upto)
        both = [trial for arm in arms for trial in held.trials(arm)]
        reasons[contrast] = unfair(both, scores, tested[contrast].missing)
    if basis not in tested:
        said, because = Word.CANNOT_TELL, "only one arm has run"
    else:
        blocking = [reason for reason in reasons[basis] if reason[0] is not Unfair.UNVERIFIED]
        said, because = word(tested[basis], blocking, plan)
    return Decision(basis=basis, word=said, because=because, tested=tested, reasons=reasons)


def stop_reason(trials: Sequence[Trial], scores: Sequence[Score], plan: LivePlan) -> str | None:
    """Why no further look is needed, or None: what the engine asks when all trials of a look are there.

    Decided, unfair beyond repair, or not expected to settle it (futility is non-binding: going on costs money, not
    error). Only the deciding side is read. Of several skills every one must have a reason.
    """
    skills = list(dict.fromkeys(trial.skill for trial in trials))
    reasons = []
    for skill in skills:
        own = [trial for trial in trials if trial.skill == skill]
        known = {trial.case for trial in own}
        cases = plan.cases if len(skills) == 1 else {name: case for name, case in plan.cases.items() if name in known}
        reasons.append(_stop(own, scores, replace(plan.for_skill(skill), cases=cases)))
    if not reasons or any(reason is None for reason in reasons):
        return None
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason is not None))


def deciding_mode(trials: Sequence[Trial], plan: LivePlan) -> str:
    """The workspace whose trials decide, where two ran: the plan's, else the group's."""
    modes = dict.fromkeys(trial.mode for trial in trials)
    return plan.mode if plan.mode in modes else GROUP if GROUP in modes else next(iter(modes))


def _stop(trials: Sequence[Trial], scores: Sequence[Score], plan: LivePlan) -> str | None:
    side = [trial for trial in trials if trial.side == "base"] or list(trials)
    mode = deciding_mode(side, plan)
    side = [trial for trial in side if trial.mode == mode]
    values = outcomes(side, table(scores))
    found = decide(slots(side, plan.cap), scores, values, plan)
    if found.main is None or not found.main.looks.look:
        return None
    if found.word in (Word.IMPROVED, Word.REGRESSED, Word.NO_DIFFERENCE):
        return f"decided: {found.word.value.replace('_', ' ')}"
    if found.main.looks.crossed is not None:
        return found.because
    foul = [kind for kind, _ in found.reasons[found.basis] if kind not in _INFORM_ONLY and kind is not Unfair.MISSING]
    if foul:
        return found.because
    return "not expected to settle it" if found.main.looks.futile else None


def _one_side(
    skill: str, trials: Sequence[Trial], scores: Sequence[Score], rows: ScoreTable, plan: LivePlan
) -> LiveSummary:
    mode = deciding_mode(trials, plan)
    values = outcomes(trials, rows)
    held = slots([trial for trial in trials if trial.mode == mode], plan.cap)
    found = decide(held, scores, values, plan)
    main, why, basis = found.main, found.reasons.get(found.basis, ()), found.basis
    lifts = {contrast: _shown(tested, found.reasons[contrast]) for contrast, tested in found.tested.items()}
    attempts, alpha = main.attempts if main else plan.cap, plan.alphas[0]
    every = [trial for arm in Arm for trial in held.trials(arm) if trial.attempt <= attempts]
    inform = next((clause for kind, clause in why if kind in _INFORM_ONLY), "")
    fair = main is not None and found.word is not Word.NO_VERDICT
    people = tasks_like_these(_case_lifts(main)) if main and fair else None
    return LiveSummary(
        skill=skill,
        word=found.word,
        because=found.because,
        change=lifts.get(Contrast.CHANGE),
        lift=lifts.get(Contrast.LIFT),
        arms=arm_levels(held, values, attempts),
        cases=case_rows(held, rows, values, plan, basis, attempts),
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
        missing=sum(values[trial.digest].value is None for trial in every),
        planned=len(every),
        failed=sum(trial.ending in (Ending.AGENT_FAILED, Ending.TIMED_OUT) for trial in every),
        agents=len({(trial.harness, trial.model) for trial in every}),
        noise=identical_differ(main) if main and fair else None,
        missing_bounds=bounds(main.cells) if main and main.missing.a + main.missing.b else None,
        alpha=alpha,
        skills=plan.skills,
        options=options(main, held, plan, alpha) if main and found.word is Word.CANNOT_TELL else (),
        population=estimate(people.interval) if people and not people.doubt else None,
        population_because=people.because if people else "",
        groups=group_rows(held, values, plan, basis, attempts),
        passes=pass_rows(held, values, plan, attempts),
        ratios=ratio_rows(held, plan, attempts),
        routing_premium=estimate(_premium(trials, values, plan)),
        notes=_notes(main, why, every, values, plan.spent),
        floor=plan.floor,
        margin=plan.margin,
        seed=plan.seed or None,
        spent=(main.looks.spent.lower, main.looks.spent.higher) if main else plan.spent,
        attempts=attempts,
        activation=activation(every, rows),
        skill_use=used(every, rows),
        versions=versions_of(every),
        connections=host_rows(trials, plan.surroundings.network or ()),
        judge=judge_of(every, rows),
        mode=mode,
        max_drop=plan.max_drop,
        sandbox=plan.surroundings.sandbox,
        network=plan.surroundings.network,
        neighbours=plan.surroundings.neighbours,
        **agreement_of(every, rows),
    )


def _shown(found: Tested, reasons: Sequence[Reason]) -> Lift:
    """An unfair contrast keeps no estimate; one that only informs keeps it, without a p."""
    if not reasons:
        return found.lift(OUTCOME)
    lift = found.lift(OUTCOME, reasons[0][1])
    hard = any(kind not in _INFORM_ONLY for kind, _ in reasons)
    return replace(lift, estimate=None) if hard else lift


def _case_lifts(found: Tested) -> list[float]:
    by_case: dict[str, list[float]] = {}
    for cell in found.cells:
        if cell.paired:
            lift = sum(cell.a) / len(cell.a) - sum(cell.b) / len(cell.b)
            by_case.setdefault(cell.key[0], []).append(lift)
    return [sum(lifts) / len(lifts) for lifts in by_case.values()]


def _premium(trials: Sequence[Trial], values: Mapping[str, Value], plan: LivePlan) -> Interval | None:
    """Group lift minus isolated lift against no skill; None where one of the workspaces did not run."""
    found = []
    for mode in (GROUP, ISOLATED):
        held = slots([trial for trial in trials if trial.mode == mode], plan.cap)
        interval = suite_interval(cells(held, ARMS[Contrast.LIFT], plan.cap, values))
        if interval is None:
            return None
        found.append(interval)
    return mover_difference(found[0], found[1])


def _notes(
    main: Tested | None,
    why: Sequence[Reason],
    trials: Sequence[Trial],
    values: Mapping[str, Value],
    spent: tuple[float, float],
) -> tuple[str, ...]:
    notes = [clause for _, clause in why[1:]]
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
    notes += [f"{count} runs not scored: {because}" for because, count in causes.items()]
    return tuple(notes)
