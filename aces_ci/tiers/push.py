"""One push of a change request against the one before it: what is remembered, and what is made of it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.evidence import LastPush
from aces_ci.core.finding import Finding
from aces_ci.core.lift import OUTCOME_PARTS, outcomes, table
from aces_ci.core.live import LiveSummary, Since, Unfair, Word
from aces_ci.core.plan import Subject, TrialPlan
from aces_ci.core.push_memory import Push
from aces_ci.core.score import Score
from aces_ci.core.staging import digest_of_case
from aces_ci.core.trial import Arm, Trial
from aces_ci.statistics.intervals import suite_interval
from aces_ci.statistics.stratified import Cell
from aces_ci.tiers.contrast import estimate

SPOILT = frozenset({Unfair.TAMPERED, Unfair.CONTAMINATED, Unfair.UNEQUAL_TOOLS})
"""What spoils runs of this change themselves, whatever they are compared with."""
Stratum = tuple[str, str, str]
"""Case, harness, model."""


def comparison_of(plan: TrialPlan, skill: str) -> str:
    """The question that the base side's trials of one skill answer: equal digests are the same question."""
    mine = [row for row in plan.trials if row.skill == skill and row.side == "base"]
    digests = sorted(row.digest for row in mine if row.arm is not Arm.BASELINE and row.mode == plan.design.modes[0])
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def push_of(  # noqa: PLR0913 - what one push is made of
    subject: Subject,
    plan: TrialPlan,
    trials: Iterable[Trial],
    scores: Sequence[Score],
    findings: Iterable[Finding],
    summary: LiveSummary,
    *,
    repo: str,
    change: int,
    head: str,
) -> Push:
    """What to keep of one skill after a run."""
    ran = [trial for trial in trials if trial.mode == summary.mode]
    keys, measured = _keys(subject, plan, scores), _outcomes(ran, scores, subject.side)
    return Push(
        repo=repo,
        change=change,
        skill=subject.skill,
        head=head,
        comparison=comparison_of(plan, subject.skill),
        spent=summary.spent,
        outcomes={key: rows for place, key in keys.items() if (rows := measured.get(place))},
        findings=tuple(sorted(_fingerprints(findings, subject.skill))),
    )


def recalled(push: Push, subject: Subject, plan: TrialPlan, scores: Sequence[Score]) -> LastPush:
    """The last push as evidence: outcomes of the strata that this one has as well, same case, agent and judge."""
    keys = _keys(subject, plan, scores)
    rows = tuple((*place, tuple(push.outcomes[key])) for place, key in keys.items() if push.outcomes.get(key))
    return LastPush(skill=push.skill, head=push.head, outcomes=rows, findings=tuple(push.findings))


def since(
    last: LastPush, trials: Sequence[Trial], scores: Sequence[Score], findings: Iterable[Finding], summary: LiveSummary
) -> Since:
    """This push minus the last one, on the strata that both have. Described, never tested: days lie between them."""
    side = "base" if any(trial.side == "base" for trial in trials) else "head"
    kept = [t for t in trials if t.mode == summary.mode and t.attempt <= (summary.attempts or t.attempt)]
    now = _outcomes(kept, scores, side)
    cells = [
        Cell(key=(case, harness, model), a=now.get((case, harness, model), ()), b=before)
        for case, harness, model, before in last.outcomes
    ]
    paired = [cell for cell in cells if cell.paired]
    foul = summary.word is Word.NO_VERDICT and any(kind in SPOILT for kind in summary.unfair)
    interval = None if foul else suite_interval(paired)
    because = summary.because if foul else "no case that both pushes ran with the same agent and judge"
    prints = _fingerprints(findings, last.skill)
    return Since(
        head=last.head,
        outcome=estimate(interval, cases=len({cell.key[0] for cell in paired})),
        because="" if interval else because,
        fixed=len(set(last.findings) - prints),
        new=len(prints - set(last.findings)),
    )


def _outcomes(trials: Iterable[Trial], scores: Sequence[Score], side: str) -> Mapping[Stratum, tuple[float, ...]]:
    own = [trial for trial in trials if trial.side == side]
    values = outcomes(own, table(scores))
    rows: dict[Stratum, list[float]] = {}
    for trial in own:
        value = values[trial.digest].value
        if trial.arm is Arm.WITH_SKILL and value is not None:
            rows.setdefault((trial.case, trial.harness, trial.model), []).append(value)
    return {place: tuple(row) for place, row in rows.items()}


def _keys(subject: Subject, plan: TrialPlan, scores: Sequence[Score]) -> Mapping[Stratum, str]:
    """By stratum a digest over everything but the skill that two pushes must have in common."""
    mine = {row.digest: row.case for row in plan.trials if row.skill == subject.skill and row.side == subject.side}
    methods: dict[str, set[str]] = {}
    for score in scores:
        if score.trial in mine and score.metric in OUTCOME_PARTS and score.value is not None:
            methods.setdefault(mine[score.trial], set()).add(f"{score.metric}:{score.method}")
    keys = {}
    for case in subject.cases:
        content = digest_of_case(case, subject.fixtures)
        for who in plan.contenders:
            parts = [
                content,
                who.harness,
                who.version,
                who.model,
                who.image,
                plan.design.modes[0],
                plan.design.injection,
            ]
            text = json.dumps([*parts, sorted(methods.get(case.id, ()))], separators=(",", ":"))
            keys[(case.id, who.harness, who.model)] = hashlib.sha256(text.encode()).hexdigest()
    return keys


def _fingerprints(findings: Iterable[Finding], skill: str) -> set[str]:
    return {f"{row.code}:{row.fingerprint or row.id}" for row in findings if row.skill == skill}
