"""One definition of the outcome and of the composite: which scores of a trial they are made of.

The primary endpoint is the outcome score of a trial in [0, 1]: the mean of those components that apply to
its case, the same set in all arms. Whether the skill was read never enters it, so an agent that only reads
the skill and answers the same has lift 0; the composite moves by .18 to .22 for that agent, which is why it
never gates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.score import Score
from aces_ci.core.trial import Ending, Trial

OUTCOME = "outcome"
COMPOSITE = "composite"
OUTCOME_PARTS = ("outcome_checks", "accuracy_outcome", "goal_accuracy")
"""Deterministic outcome checks, accuracy without its "right skill" item, goal accuracy."""
SIX = ("security", "skill_execution", "skill_efficiency", "accuracy", "goal_accuracy", "behavior_check")
"""The metrics of the composite, equal weights by default (`docs/metrics.md`)."""
OUTCOME_METRICS = frozenset({*OUTCOME_PARTS, OUTCOME, "accuracy"})
"""Metrics of what came out; all others describe how."""

ScoreTable = Mapping[str, Mapping[str, Score]]
"""Trial digest to metric to score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number of one trial, or why there is none."""

    value: float | None
    because: str = ""


def table(scores: Iterable[Score]) -> ScoreTable:
    """Scores by trial and metric; of several methods for one metric the last is taken (`methods` tells
    them)."""
    rows: dict[str, dict[str, Score]] = {}
    for score in scores:
        rows.setdefault(score.trial, {})[score.metric] = score
    return rows


def applicable(trials: Sequence[Trial], scores: ScoreTable, metrics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each case the metrics that apply: those scored in any trial of it, whatever the arm."""
    found: dict[str, set[str]] = {}
    for trial in trials:
        have = scores.get(trial.digest, {})
        found.setdefault(trial.case, set()).update(
            name for name in metrics if name in have and have[name].value is not None
        )
    return {case: tuple(name for name in metrics if name in names) for case, names in found.items()}


def value_of(trial: Trial, scores: ScoreTable, weights: Mapping[str, float]) -> Value:
    """The weighted mean of `weights`' metrics for one trial.

    An infrastructure failure is missing. An agent that failed or timed out has delivered nothing where it
    was not scored: 0, a result. A finished trial that the judge could not score is missing, never 0.
    """
    if trial.missing:
        return Value(value=None, because=trial.because or "lost to the infrastructure")
    if not weights:
        return Value(value=None, because="nothing that applies to this case was scored in any arm")
    have = scores.get(trial.digest, {})
    total = 0.0
    for name, weight in weights.items():
        score = have.get(name)
        if score is not None and score.value is not None:
            total += weight * score.value
        elif trial.ending is Ending.FINISHED:
            return Value(value=None, because=f"{name}: {score.because if score else 'not graded'}")
    return Value(value=total / sum(weights.values()))


def outcomes(trials: Sequence[Trial], scores: ScoreTable) -> dict[str, Value]:
    """The primary endpoint of every trial by digest."""
    sets = applicable(trials, scores, OUTCOME_PARTS)
    return {trial.digest: value_of(trial, scores, dict.fromkeys(sets[trial.case], 1.0)) for trial in trials}


def single(trials: Sequence[Trial], scores: ScoreTable, metric: str) -> dict[str, Value]:
    """One metric of every trial of the cases to which it applies.

    Process metrics of a failed agent are what the grader made of its trace, else missing: nothing may be
    concluded about how it worked from a trace that could not be read.
    """
    sets = applicable(trials, scores, (metric,))
    values: dict[str, Value] = {}
    for trial in trials:
        if not sets[trial.case]:
            continue
        score = scores.get(trial.digest, {}).get(metric)
        if metric in OUTCOME_METRICS:
            values[trial.digest] = value_of(trial, scores, {metric: 1.0})
        elif trial.missing or score is None or score.value is None:
            values[trial.digest] = Value(value=None, because=score.because if score else "not graded")
        else:
            values[trial.digest] = Value(value=score.value)
    return values


def composites(trials: Sequence[Trial], scores: ScoreTable, weights: Mapping[str, float]) -> dict[str, Value]:
    """A value per trial whose mean difference over cases is the weighted mean of the metrics' lifts.

    A metric that applies to m of K cases is scaled by K / m there, so the composite is the mean over
    metrics of their own means over cases (`docs/metrics.md`), not a mean of per-case means. Values may
    therefore leave [0, 1] when metrics apply to some cases only.
    """
    used = {name: weight for name, weight in weights.items() if weight > 0}
    sets = applicable(trials, scores, tuple(used))
    counts = {name: sum(name in names for names in sets.values()) for name in used}
    total = sum(weight for name, weight in used.items() if counts[name])
    values: dict[str, Value] = {}
    for trial in trials:
        scales = {name: used[name] * len(sets) / counts[name] for name in sets[trial.case]}
        value = value_of(trial, scores, scales)
        scale = sum(scales.values()) / total if total else 0.0
        values[trial.digest] = Value(value=None if value.value is None else value.value * scale, because=value.because)
    return values
