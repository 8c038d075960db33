"""Goal accuracy by a worker of its own, for all trials of a comparison or for none: methods are never mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aces_ci.core.grading.judged import Locus, Settled
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.core.grading.outcome_parts import GOAL
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Score
from aces_ci.ports.goal_worker import Conversation
from aces_ci.tiers.judge_evidence import Mask, evidence

Judge = Callable[[Sequence[Conversation]], Sequence[Settled]]
"""Conversations to a verdict or an error each, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What the worker settled, by trial digest; `fallback` says why it settled nothing."""

    known: Mapping[str, Mapping[str, Settled]] = field(default_factory=dict)
    fallback: str = ""


Settle = Callable[[Iterable[Subject]], Round]
"""All trials that are due, at once."""


def settle_all(subjects: Iterable[Subject], judge: Judge) -> Round:
    """Ask the worker about every trial. One failure and all arms are graded by `two_step` alike.

    Trials of cases without a reference answer are not asked.
    """
    told = {each.trial.digest: conversation(each) for each in subjects if each.case.reference}
    if not told:
        return Round()
    found = judge(list(told.values()))
    failed = next((each for each in found if each.word is None), None)
    if failed is not None or len(found) != len(told):
        return Round(fallback=(failed.error if failed else None) or "the worker did not answer about every trial")
    return Round(known={digest: {REACHED: each} for digest, each in zip(told, found, strict=True)})


def noted(scores: Iterable[Score], fallback: str) -> tuple[Score, ...]:
    """The same scores; goal accuracy says why the worker did not grade it."""
    return tuple(replace(row, fallback=fallback) if fallback and row.metric == GOAL else row for row in scores)


def conversation(subject: Subject) -> Conversation:
    """A trial with a reference answer as the worker is told it."""
    reference = Mask(subject)(subject.case.reference or "")
    return Conversation(messages=tuple(messages(subject)), reference=reference)


def messages(subject: Subject) -> list[dict[str, Any]]:
    """The conversation as a goal judge may see it: request, calls with results, answer; no skill, no narration."""
    mask = Mask(subject)
    told: list[dict[str, Any]] = [{"role": "user", "text": mask(subject.case.prompt)}]
    for row in evidence(subject, Locus.PROCESS).rows:
        if "call" in row.shown:
            call = {"name": row.shown["call"], "arguments": {"what": row.shown["what"]}}
            told.append({"role": "agent", "text": "", "calls": [call]})
            told.append({"role": "tool", "text": str(row.shown["result"] or "")})
        else:
            told.append({"role": "agent", "text": str(row.shown["answer"] or "(no answer)")})
    return told
