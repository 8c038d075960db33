"""At the end of a live run: what the traces say of its result, why a skill did not help above all, as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from aces_ci.core.diagnosis import Diagnosed
from aces_ci.core.errors import UsageError
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Subject
from aces_ci.core.score import Score
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Trial
from aces_ci.shell.files import Folder
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.diagnose import SkillText, diagnose
from aces_ci.tiers.worth_a_look import worth_a_look


def diagnosed(
    subjects: Sequence[Subject],
    trials: Sequence[Trial],
    scores: Sequence[Score],
    plan: LivePlan,
    folder: Folder,
) -> Iterator[Diagnosed]:
    """One line of evidence for each skill of which something was found, from the side whose evals decide.

    `folder` is the output directory that the trials' trajectories lie in. A trace that is gone or cannot be read is
    left out: it can only cost a cause.
    """
    deciding = {subject.skill for subject in subjects if subject.side == "base"}
    for subject in subjects:
        own = [trial for trial in trials if trial.skill == subject.skill and trial.side == subject.side]
        if not own or (subject.side != "base" and subject.skill in deciding):
            continue
        cases = {case.id: plan.cases[case.id] for case in subject.cases if case.id in plan.cases}
        summary = summarise(own, scores, replace(plan.for_skill(subject.skill), cases=cases))
        traces, text = _traces(own, folder), text_of(subject)
        causes = diagnose(summary, own, scores, traces, text)
        beside = () if causes else worth_a_look(summary, own, scores, traces, text)
        if causes or beside:
            yield Diagnosed(skill=subject.skill, causes=causes, worth_a_look=beside)


def text_of(subject: Subject) -> SkillText:
    """The target's manifest on both sides, and what the cases expect of an agent's behaviour."""
    after = subject.lineup.target[0]
    before = subject.lineup.previous[0] if subject.lineup.previous else None
    path = after.manifest if after.root == "." else str(PurePosixPath(after.root) / after.manifest)
    return SkillText(
        path=path,
        after=after.text,
        before=before.text if before else None,
        behaviors={behavior.id: behavior.text for case in subject.cases for behavior in case.behaviors},
    )


def _traces(trials: Sequence[Trial], folder: Folder) -> Mapping[str, Trajectory]:
    found = {}
    for trial in trials:
        data = folder.read(trial.trajectory, limit=trace_file.BYTES_LIMIT) if trial.trajectory else None
        if data is None:
            continue
        try:
            found[trial.digest] = trace_file.read(data, source=str(trial.trajectory))
        except UsageError:
            continue
    return found
