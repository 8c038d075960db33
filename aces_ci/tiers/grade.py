"""Grades one trial: derives what metrics need, asks what they ask, scores each. Pure but for `ask`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aces_ci.core.grading.cast import Cast, cast_of
from aces_ci.core.grading.judged import Item, Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.core.suites.case import Case
from aces_ci.core.trace.actions import actions
from aces_ci.core.trace.skills import reads
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Ending, Trial
from aces_ci.ports.metric import Metric
from aces_ci.tiers.checks import evaluate
from aces_ci.tiers.judge_trace import Ask, settle

ROUNDS = 3
"""How often metrics may ask on what was answered; two-step goal accuracy needs two."""


def subject_of(
    trial: Trial,
    trajectory: Trajectory,
    case: Case,
    workspace: Mapping[str, bytes] | None,
    cast: Cast | None = None,
) -> Subject:
    """The trial with everything that is derived from it; `cast` None takes what trial and case say."""
    done = actions(trajectory)
    known = cast or cast_of(trial, case)
    bare = Subject(
        trial=trial,
        trajectory=trajectory,
        case=case,
        cast=known,
        workspace=workspace,
        actions=done,
        reads=reads(done, known.texts),
    )
    return replace(bare, checked=tuple(evaluate(check, bare) for check in case.checks))


def grade(
    trial: Trial,
    trajectory: Trajectory,
    case: Case,
    workspace: Mapping[str, bytes] | None,
    metrics: Sequence[Metric],
    ask: Ask | None,
    *,
    cast: Cast | None = None,
    known: Mapping[str, Settled] | None = None,
) -> tuple[Score, ...]:
    """One score a metric, in the order of `metrics`.

    `ask` None: there is no judge; metrics that need one say so and have no value. `known` are items that
    something else settled (the RAGAS worker); they are not asked again. A trial lost to the infrastructure
    has no scores.
    """
    if trial.ending is Ending.INFRA_FAILED:
        return lost(trial, metrics)
    return scored(subject_of(trial, trajectory, case, workspace, cast), metrics, ask, known)


def lost(trial: Trial, metrics: Sequence[Metric]) -> tuple[Score, ...]:
    """No value, for infrastructure took the trial."""
    because = f"lost to the infrastructure: {trial.because}" if trial.because else "lost to the infrastructure"
    return tuple(Score(trial=trial.digest, metric=metric.name, value=None, because=because) for metric in metrics)


def scored(
    subject: Subject, metrics: Sequence[Metric], ask: Ask | None, known: Mapping[str, Settled] | None = None
) -> tuple[Score, ...]:
    """As `grade`, of a trial for which everything is derived."""
    if ask is None:
        return tuple(metric.score(subject, None) for metric in metrics)
    settled, wanted = _asked(subject, metrics, ask, known or {})
    return tuple(_with_votes(metric.score(subject, settled), wanted[metric.name], settled) for metric in metrics)


def _with_votes(score: Score, wanted: Iterable[str], settled: Mapping[str, Settled]) -> Score:
    """The score with what its votes agree on, from which the report computes the judge's flip rate."""
    voted = [settled[item] for item in wanted if item in settled]
    pairs = [each.agreed for each in voted if len(each.votes) > 1]
    return replace(score, agreement=(sum(pairs), len(pairs))) if pairs else score


def _asked(
    subject: Subject, metrics: Sequence[Metric], ask: Ask, known: Mapping[str, Settled]
) -> tuple[Mapping[str, Settled], Mapping[str, Iterable[str]]]:
    """What is settled, and which items each metric wanted: one that asks in steps no longer names its last."""
    settled = dict(known)
    wanted: dict[str, dict[str, Item]] = {metric.name: {} for metric in metrics}
    for _ in range(ROUNDS):
        for metric in metrics:
            wanted[metric.name].update({item.id: item for item in metric.questions(subject, settled)})
        new = {name: item for items in wanted.values() for name, item in items.items() if name not in settled}
        if not new:
            break
        settled.update(settle(list(new.values()), subject, ask))
    return settled, wanted
