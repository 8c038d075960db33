"""Whether two arms may be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aces_ci.core.lift import OUTCOME_PARTS
from aces_ci.core.live import Unfair
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Flag, Trial
from aces_ci.statistics.missing import Missing

Reason = tuple[Unfair, str]
"""What is unfair, and the clause that says it."""

ARM_NAMES = {Arm.WITH_SKILL: "this change", Arm.PREVIOUS: "the base version", Arm.BASELINE: "no skill"}
_FLAGS = (
    (
        Flag.TAMPERED,
        Unfair.TAMPERED,
        "an answer that the model never gave stands in the trace of {n} of {of} runs",
    ),
    (Flag.CONTAMINATED, Unfair.CONTAMINATED, "the arm did not see what it should in {n} of {of} runs"),
    (Flag.UNEQUAL_TOOLS, Unfair.UNEQUAL_TOOLS, "the arms had different tools in {n} of {of} runs"),
)


def unfair(trials: Sequence[Trial], scores: Iterable[Score], missing: Missing) -> tuple[Reason, ...]:
    """Everything that keeps two arms from being compared, worst first.

    `trials` are those of both arms of one contrast that count; `scores` may hold others.
    """
    found: list[Reason] = []
    for flag, reason, text in _FLAGS:
        hit = [trial for trial in trials if flag in trial.flags]
        if hit:
            where = " and ".join(dict.fromkeys(ARM_NAMES[trial.arm] for trial in hit))
            found.append((reason, f"{text.format(n=len(hit), of=len(trials))} ({where})"))
    found += _versions(trials)
    found += _judges(trials, scores)
    if missing.too_many:
        found.append((Unfair.MISSING, _losses(trials, missing)))
    stored = [trial for trial in trials if trial.recorded]
    if stored:
        days = ", ".join(sorted({str(trial.recorded)[:10] for trial in stored}))
        arms = " and ".join(dict.fromkeys(ARM_NAMES[trial.arm] for trial in stored))
        found.append((Unfair.STORED, f"{arms} was recorded on {days}, not run beside the other arm"))
    if any(Flag.UNVERIFIED in trial.flags for trial in trials):
        why = "the agents were not isolated, or no gateway saw them: the traces are their own word"
        found.append((Unfair.UNVERIFIED, why))
    return tuple(found)


def _losses(trials: Sequence[Trial], missing: Missing) -> str:
    """Of the arm that lost more: it is the one that may not."""
    other = next((ARM_NAMES[trial.arm] for trial in trials if trial.arm is not Arm.WITH_SKILL), "the other arm")
    rows = ((missing.a, missing.planned_a, ARM_NAMES[Arm.WITH_SKILL]), (missing.b, missing.planned_b, other))
    lost, planned, name = max(rows, key=lambda row: row[0] / max(1, row[1]))
    return f"{lost} of {planned} runs of {name} could not be scored; at most a fifth of an arm may be"


def _versions(trials: Sequence[Trial]) -> list[Reason]:
    found: list[Reason] = []
    for harness, model in dict.fromkeys((trial.harness, trial.model) for trial in trials):
        same = [trial for trial in trials if (trial.harness, trial.model) == (harness, model) and not trial.missing]
        for name, get in (("models", _resolved), ("versions", _version)):
            by_arm = {arm: {get(trial) for trial in same if trial.arm is arm} - {None} for arm in Arm}
            known = [values for values in by_arm.values() if values]
            if any(values != known[0] for values in known):
                shown = ", ".join(sorted({str(value) for values in known for value in values}))
                found.append((Unfair.VERSIONS, f"{harness} ran with different {name} in the arms: {shown}"))
    return found


def _resolved(trial: Trial) -> str | None:
    return trial.resolved_model


def _version(trial: Trial) -> str | None:
    return trial.harness_version


def _judges(trials: Sequence[Trial], scores: Iterable[Score]) -> list[Reason]:
    return [
        (Unfair.JUDGE, f"{metric} was graded in {len(names)} ways: {', '.join(names)}")
        for metric, names in mixed(trials, scores, OUTCOME_PARTS).items()
    ]


def mixed(trials: Sequence[Trial], scores: Iterable[Score], metrics: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Metrics whose values cannot be compared, with their methods: two judges, or two ways within one case.

    A trial that was graded again counts by its last grade, as everywhere. Cases may differ: each native task brings a
    verifier of its own.
    """
    case_of = {trial.digest: trial.case for trial in trials}
    last = {(score.trial, score.metric): score for score in scores if score.trial in case_of}
    within: dict[tuple[str, str], set[str]] = {}
    judged: dict[str, set[str]] = {}
    for score in last.values():
        if score.metric in metrics and score.value is not None:
            within.setdefault((score.metric, case_of[score.trial]), set()).add(score.method)
            if "/" in score.method:
                judged.setdefault(score.metric, set()).add(score.method)
    found: dict[str, set[str]] = {metric: names for metric, names in judged.items() if len(names) > 1}
    for (metric, _), names in within.items():
        if len(names) > 1:
            found[metric] = found.get(metric, set()) | names
    return {metric: tuple(sorted(names)) for metric, names in found.items()}
