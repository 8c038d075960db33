"""Goal accuracy by a worker of its own, for all trials of a comparison or for none: methods are never mixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aces_ci.core.grading.judged import Locus, Settled
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.core.grading.subject import Subject
from aces_ci.tiers.judge_evidence import Mask, evidence

Judge = Callable[[Sequence[Mapping[str, Any]], str], Settled]
"""Messages and the reference to a verdict or an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What the worker settled, by trial digest; `fallback` says why it settled nothing."""

    known: Mapping[str, Mapping[str, Settled]] = field(default_factory=dict)
    fallback: str | None = None


def settle_all(subjects: Sequence[Subject], judge: Judge) -> Round:
    """Ask the worker about every trial. One failure and all arms are graded by `two_step` alike.

    Trials of cases without a reference answer are not asked.
    """
    known: dict[str, Mapping[str, Settled]] = {}
    for subject in subjects:
        if not subject.case.reference:
            continue
        found = judge(messages(subject), Mask(subject)(subject.case.reference))
        if found.word is None:
            return Round(fallback=f"{found.error}; every trial is graded by two_step instead")
        known[subject.trial.digest] = {REACHED: found}
    return Round(known=known)


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
