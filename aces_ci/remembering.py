"""Pushes of a change request that earlier runs measured: read before a live run, written after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from aces_ci import grading, trialling
from aces_ci.core import push_memory
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, Trust
from aces_ci.core.evidence import Planned
from aces_ci.core.finding import Finding
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import TrialPlan, looks_of
from aces_ci.core.push_memory import PushMemory
from aces_ci.ports.sink import Sink
from aces_ci.shell.evidence_file import EvidenceFile
from aces_ci.shell.files import Folder
from aces_ci.statistics.power import attainable
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.push import comparison_of, push_of, recalled


def memory(folder: Folder, reach: trialling.Access, event: Event, brings: Callable[[Path], bool]) -> PushMemory:
    """Earlier pushes, believed where their MAC was made with the key that pays for this run.

    `brings`: whether the change itself holds a file. Where a server wants no key, anybody could have made that MAC.
    """
    brought = brings(folder.path / push_memory.NAME)
    kept = (None if brought else folder.read(push_memory.NAME, limit=push_memory.LIMIT)) or b""
    secret = next((key for _, key in sorted(reach.secrets.keys.items())), "")
    return PushMemory(kept.decode("utf-8", "replace"), secret, trust=event.trust.value)


def with_spent(planned: Planned, plan: TrialPlan, kept: PushMemory) -> Planned:
    """The plan's line with the alpha that earlier runs spent on the same comparison.

    Nothing is added where trials are reused: these bring their looks along.
    """
    if planned.side != "base" or plan.forecast.reused:
        return planned
    return replace(planned, spent=kept.spent(comparison_of(plan, planned.skill)))


def refuse_spent(rows: Sequence[Planned], plan: TrialPlan) -> None:
    """Nothing runs where earlier runs of the very same comparison have used up what every skill's verdict needs.

    Raises:
        UsageError: no boundary of any skill can be crossed any more.
    """
    alpha = plan.design.alpha / plan.family
    sides = {(subject.skill, subject.side): subject for subject in plan.subjects}
    deciding = [(row, sides[row.skill, row.side]) for row in rows if row.side == "base"]
    can = (
        attainable(len(subject.cases), looks_of(subject, plan.design), alpha, len(plan.contenders), spent=row.spent[0])
        for row, subject in deciding
    )
    if deciding and not any(can):
        raise UsageError(
            "earlier runs of this very comparison have used up the error that a verdict may cost",
            code="alpha_spent",
            why="another run of the same content could only turn luck into a verdict",
            do="change the skill or its cases; the earlier result stands",
        )


def charged(analysis: LivePlan, rows: Sequence[Planned]) -> LivePlan:
    """What the engine asks after a look starts from the alpha that is gone: of several skills the largest, so that it
    never stops where the report would go on.
    """
    spent = [row.spent for row in rows] or [(0.0, 0.0)]
    return replace(analysis, spent=(max(low for low, _ in spent), max(high for _, high in spent)))


def remember(
    event: Event,
    plan: TrialPlan,
    grades: grading.Grades,
    analysis: LivePlan,
    kept: PushMemory,
    folder: Folder,
    sink: Sink,
) -> None:
    """Say what changed since the last push, and keep this one. What a fork's change measured is not kept."""
    if event.change_request is None:
        return
    findings = [row for row in EvidenceFile(folder).read() if isinstance(row, Finding)]
    for subject in {item.skill: item for item in reversed(plan.subjects)}.values():
        trials = [trial for trial in grades.trials.values() if trial.skill == subject.skill]
        if not trials:
            continue
        last = kept.last(event.repo, event.change_request, subject.skill, head=event.head_sha)
        if last is not None:
            sink.add(recalled(last, subject, plan, grades.all_scores))
        if event.trust is Trust.FORK:
            continue
        cases = {case.id: analysis.cases[case.id] for case in subject.cases}
        summary = summarise(trials, grades.all_scores, replace(analysis.for_skill(subject.skill), cases=cases))
        push = push_of(
            subject,
            plan,
            trials,
            grades.all_scores,
            findings,
            summary,
            repo=event.repo,
            change=event.change_request,
            head=event.head_sha,
        )
        sink.extend(push_memory.NAME, kept.line(push))
