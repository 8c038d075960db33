"""What a run would do, before it does: skills, tiers, trials, tokens, dollars, and whether a verdict can be reached.

Needs no key and no Docker: images are left out of the digests, a model without a known price has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aces_ci import compose
from aces_ci.core.amount import dollars, in_micros, plural, tokens
from aces_ci.core.change import ChangeSet, How
from aces_ci.core.errors import AcesError
from aces_ci.core.inert import plain
from aces_ci.core.live_opening import too_short
from aces_ci.pipeline import Job
from aces_ci.settings.model import Settings
from aces_ci.statistics import power
from aces_ci.tiers.choose_judge import NoJudge, choose
from aces_ci.tiers.live_trigger import not_approved, refused, without_cases
from aces_ci.tiers.schedule import Budget

if TYPE_CHECKING:
    from aces_ci.core.plan import Subject, TrialPlan

PLAN_FILE = "plan.json"
_ROOM = 13


def document(job: Job, changes: ChangeSet, env: Mapping[str, str]) -> dict[str, Any]:
    """The document of `plan --format json` and of `plan.json`. Money in millionths of a dollar, None if unknown."""
    here = sum(change.how is not How.DELETED for change in changes.skills)
    return {
        "schema_version": 1,
        "event": job.event.kind.value,
        "trust": job.event.trust.value,
        "merge_base": changes.merge_base,
        "head": changes.head,
        "skills": [{"path": change.path, "how": change.how.value} for change in changes.skills],
        "structural": {"runs": here > 0, "skills": here},
        "judge": {"skills": here, **_judge(job, here, env)},
        "live": _live(job, changes, env),
    }


def text(plan: Mapping[str, Any]) -> Iterator[str]:
    """The same for a terminal."""
    skills, judge, live = plan["skills"], plan["judge"], plan["live"]
    yield f"{plural(len(skills), 'skill')} changed since {plan['merge_base'][:7]} ({plan['event']}, {plan['trust']})"
    for skill in skills:
        yield f"  {plain(skill['path'], 120)}  {skill['how']}"
    if skills:
        yield _row("structural", plural(plan["structural"]["skills"], "skill"))
        yield _row("judge", f"{judge['model']}, {plural(judge['skills'], 'skill')}" if judge["runs"] else _not(judge))
        yield _row("live", "runs" if live["runs"] else _not(live))
    for row in live["skipped"]:
        yield _row("", f"not {plain(row['skill'], 80)}: {plain(row['because'], 120)}")
    for agent in live["agents"]:
        yield _row("", f"{agent['harness']} {agent['version']}, {plain(agent['model'], 60)}")
    for doubt in live["doubts"]:
        yield _row("", doubt)
    if live["network"]:
        yield _row("", f"network: the model and {', '.join(live['network'])}")
    for row in live["subjects"]:
        arms = plural(len(row["arms"]), "arm")
        evals = "" if row["side"] == "base" else ", the change's own evals"
        yield _row("", f"{plain(row['skill'], 80)}: {plural(row['cases'], 'case')} in {arms}{evals}")
    if forecast := live["forecast"]:
        yield from _forecast(forecast, runs=live["runs"])


def _forecast(found: Mapping[str, Any], *, runs: bool) -> Iterator[str]:
    first, most = found["trials_at_first_look"], found["trials"]
    price = "price unknown" if found["usd_micros"] is None else f"about {dollars(found['usd_micros'])}"
    cap = "no cap" if found["cap_usd"] is None else f"capped at {dollars(in_micros(found['cap_usd']))}"
    count = f"{first} to {most} runs" if first != most else plural(most, "run")
    yield _row(
        "", f"{count}; at most about {tokens(found['tokens'])} tokens, {price} ({cap}), {found['minutes']:.0f} min"
    )
    if not found["verdict_possible"]:
        yield _row("", "as it is planned, a verdict can never be reached")
    else:
        yield _row(
            "", "a verdict can be reached" if runs else "once it runs: these figures hold, a verdict can be reached"
        )


def _judge(job: Job, here: int, env: Mapping[str, str]) -> dict[str, Any]:
    def skipped(because: str) -> dict[str, Any]:
        return {"runs": False, "because": because, "model": None}

    if not here:
        return skipped("no skill to judge")
    told = not_approved(job.event, job.consent)
    if told is not None:
        return skipped(told)
    try:
        chosen = choose(job.loaded.settings, env, compose.providers())
    except AcesError as error:
        return skipped(error.message)
    if isinstance(chosen, NoJudge):
        return skipped(chosen.because)
    return {"runs": True, "because": None, "model": chosen.model}


def _live(job: Job, changes: ChangeSet, env: Mapping[str, str]) -> dict[str, Any]:
    def skipped(because: str, **more: Any) -> dict[str, Any]:
        nothing: dict[str, Any] = {"agents": [], "doubts": [], "network": [], "subjects": [], "skipped": []}
        nothing["forecast"] = None
        return {"runs": False, "because": because, **nothing, **more}

    if not changes.skills:
        return skipped("no skill changed")
    # Before anything of a fork's head is read.
    word = refused(job.event, job.consent, job.loaded.settings.live.when)
    if word is not None:
        return skipped(word.because)
    try:
        from aces_ci import live_tier
    except ModuleNotFoundError as error:
        return skipped(f"live trials are not installed here ({error.name} is missing)")
    try:
        faults = live_tier.LeftOut()
        subjects = list(live_tier.subjects_of(job, changes, faults))
    except AcesError as error:
        return skipped(error.message)
    told = {*(subject.skill for subject in subjects), *(row.skill or "" for row in faults.skills)}
    left = (*faults.skills, *without_cases(changes, told))
    more = {"skipped": [{"skill": row.skill, "because": row.because} for row in left]}
    if not subjects:
        return skipped("no changed skill has cases", **more)
    try:
        plan, because, doubts, possible = _planned(job, subjects, env)
    except AcesError as error:
        return skipped(error.message, **more)
    shown = {"doubts": list(doubts), **_shown(plan, job.loaded.settings, possible=possible)}
    return skipped(because, **more, **shown) if because else {"runs": True, "because": None, **more, **shown}


def _planned(
    job: Job, subjects: list[Subject], env: Mapping[str, str]
) -> tuple[TrialPlan, str | None, Sequence[str], bool]:
    """The plan, why it would not start, what cannot be told of its budget, and whether it could ever tell.

    Raises:
        UsageError: there is no plan at all.
    """
    from aces_ci import trialling
    from aces_ci.core.plan import make_live_plan
    from aces_ci.tiers.affordable import affordable

    settings = job.loaded.settings
    missing = None
    try:
        reach = trialling.access(env, trialling.server_of(settings, job.server), in_container=False)
    except AcesError as error:
        missing, reach = error.message, trialling.every_provider()
    who = trialling.contenders(settings, compose.harnesses(), reach, {})
    design = trialling.design_of(settings, job.event.trust)
    possible = True

    def attainable(cases: int, looks: Sequence[int], alpha: float, strata: int) -> bool:
        nonlocal possible
        possible = possible and power.attainable(cases, looks, alpha, strata)
        return True

    plan = make_live_plan(subjects, who, design, attainable=attainable)
    reasons = [missing, None if possible else "too few cases and runs to ever reach a verdict"]
    doubts: Sequence[str] = ()
    # With the key that is missing for agents, a judge could be asked as well.
    judged = settings.judge.provider != "off" if missing else False
    try:
        judged = judged or not isinstance(choose(settings, env, compose.providers()), NoJudge)
        trialling.gradeable(plan, judged)
    except AcesError as error:
        reasons.append(error.message)
    parts = job.shard[1] if job.shard else 1
    try:
        doubts = affordable(who, compose.harnesses(), job.purse, judged=judged, parts=parts)
        doubts = [*doubts, *_too_short(plan, Budget.beside(job.purse, None, judged=judged))]
    except AcesError as error:
        reasons.append(error.message)
        # Of a budget that lets no request out no verdict can come, whatever the plan is.
        possible = False
    return plan, "; ".join(reason for reason in reasons if reason) or None, doubts, possible


def _too_short(plan: TrialPlan, budget: Budget) -> Iterator[str]:
    if budget.usd_micros is not None:
        yield from too_short(plan, max(0, budget.usd_micros - budget.kept_micros))


def _shown(plan: TrialPlan, settings: Settings, *, possible: bool) -> dict[str, Any]:
    forecast = plan.forecast
    return {
        "agents": [
            {"harness": who.harness, "version": who.version, "model": who.model, "price_known": who.price is not None}
            for who in plan.contenders
        ],
        "network": list(plan.design.network),
        "subjects": [
            {
                "skill": subject.skill,
                "side": subject.side,
                "cases": len(subject.cases),
                "arms": sorted(
                    {
                        trial.arm.value
                        for trial in plan.trials
                        if (trial.skill, trial.side) == (subject.skill, subject.side)
                    }
                ),
            }
            for subject in plan.subjects
        ],
        "forecast": {
            "looks": list(plan.design.looks),
            "trials_at_first_look": sum(trial.stage == 1 for trial in plan.trials),
            "trials": forecast.trials,
            "tokens": forecast.tokens,
            "usd_micros": forecast.usd_micros,
            "minutes": forecast.minutes,
            "cap_usd": settings.budget.usd,
            "verdict_possible": possible,
        },
    }


def _row(tier: str, said: str) -> str:
    return f"{tier:<{_ROOM}}{said}"


def _not(tier: Mapping[str, Any]) -> str:
    return f"will not run: {plain(tier['because'], 200)}"
