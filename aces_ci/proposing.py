"""What a fork's job tells the person who will be asked: the plan of the run that waits, made without a key or money."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aces_ci import compose, live_tier, trialling
from aces_ci.changes.load import snapshot_at
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.errors import AcesError, UsageError
from aces_ci.core.plan import Contender, Subject, TrialPlan, make_live_plan
from aces_ci.core.proposal import Proposed
from aces_ci.pipeline import Job, Live, Sink
from aces_ci.statistics.power import attainable
from aces_ci.tiers.affordable import affordable
from aces_ci.tiers.live_trigger import not_approved, without_cases
from aces_ci.tiers.proposal import cases_changed, proposed, scripts_changed

MOST = 50
"""Skills of one change that are planned for; a larger one is looked at by its diff."""


def told_before(live: Live) -> Live:
    """The live tier that, where a fork waits, first says what approving would start."""

    def run(job: Job, changes: ChangeSet, sink: Sink) -> None:
        if not_approved(job.event, job.consent) is not None and job.loaded.settings.live.when != "off":
            for row in proposals(job, changes):
                sink(row)
        live(job, changes, sink)

    return run


def proposals(job: Job, changes: ChangeSet) -> Iterator[Proposed]:
    """One a skill that is still there; suites are parsed by the job's reader, which has no rights."""
    here = [change for change in changes.skills if change.how is not How.DELETED]
    if len(here) > MOST:
        return
    left = live_tier.LeftOut()
    subjects = list(live_tier.subjects_of(job, changes, left))
    told = {subject.skill for subject in subjects}
    whys = {row.skill: row.because for row in without_cases(changes, told)}
    whys |= {row.skill: row.because for row in left.skills}
    plan, fault = _plan(job, subjects)
    for change in here:
        row = Proposed(skill=change.path, because=whys.get(change.path, fault))
        if plan is not None and change.path in told:
            row = proposed(plan, change.path)
        yield _with_code(job, changes, change, replace(row, cases_changed=_changed(subjects, change)))


def _plan(job: Job, subjects: Sequence[Subject]) -> tuple[TrialPlan | None, str]:
    """The plan of all skills; else why an approved run would not start either."""
    if not subjects:
        return None, ""
    settings = job.loaded.settings
    harnesses = compose.harnesses()
    try:
        server = trialling.server_of(settings, job.server)
        reach = trialling.access({}, server, in_container=False) if server else trialling.every_provider()
        who = trialling.contenders(settings, harnesses, reach, {})
        plan = make_live_plan(subjects, who, trialling.design_of(settings, job.event.trust), attainable=attainable)
        trialling.gradeable(plan, settings.judge.provider != "off")
        affordable(who, harnesses, job.purse, judged=False, parts=_parts(job))
    except AcesError as error:
        return None, error.message
    fault = _with_a_judge(job, who)
    return (None, fault) if fault else (plan, "")


def _with_a_judge(job: Job, who: Sequence[Contender]) -> str:
    """Why it would not start beside a judge, for whom a part of the budget is kept; its key is not known here."""
    chosen = job.loaded.settings.judge.provider
    try:
        affordable(who, compose.harnesses(), job.purse, judged=chosen != "off", parts=_parts(job))
    except UsageError as error:
        return error.message if chosen != "auto" else f"beside a judge, {error.message}"
    return ""


def _parts(job: Job) -> int:
    return job.shard[1] if job.shard else 1


def _changed(subjects: Sequence[Subject], change: SkillChange) -> int | None:
    """Where only one table is run the sides agree, or one of them has none that can be read."""
    sides = {subject.side: subject.cases for subject in subjects if subject.skill == change.path}
    if "base" not in sides:
        return len(sides["head"]) if "head" in sides else None
    if "head" not in sides:
        return None
    return cases_changed(sides["base"], sides["head"])


def _with_code(job: Job, changes: ChangeSet, change: SkillChange, row: Proposed) -> Proposed:
    if not any("/scripts/" in f"/{path}" for path in change.files):
        return row
    after = snapshot_at(job.repository, changes.head, change.path)
    before = snapshot_at(job.repository, changes.merge_base, change.previous_path or change.path)
    files = scripts_changed(change.path, change.files, before.files if before else {}, after.files if after else {})
    return replace(row, scripts=files)
