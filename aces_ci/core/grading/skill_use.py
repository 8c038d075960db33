"""Skill-Use: trigger, compliance, boundary (the Skill-Use paper): does an agent use a skill as it is written?

SU = trigger x (alpha x compliance + (1 - alpha) x boundary), alpha .7. Task success is no part of it.
Deterministic checks count without any judge; behaviours of a case join them where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.behaviors import weighed
from aces_ci.core.grading.judged import Settled
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part
from aces_ci.core.suites.case import Role
from aces_ci.core.trial import Arm

ALPHA = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A weighted share of what was followed; `value` None where it does not apply or cannot be told."""

    value: float | None
    because: str
    parts: tuple[Part, ...] = ()
    cites: tuple[int, ...] = ()
    method: str = "deterministic"
    absent: bool = False
    """There is no such item, or none that can be told without a judge: nothing went wrong."""


def excluded(subject: Subject) -> str | None:
    """Why Skill-Use says nothing about this trial; None where it does."""
    if subject.trial.arm is Arm.BASELINE:
        return "there is no skill in this arm"
    if subject.negative:
        return "the case does not want the skill"
    if subject.idle:
        return judged_score.NOTHING_DONE
    for found in subject.checked:
        if found.check.role is Role.GATE and found.passed is not True:
            return f"not evaluable: {found.check.id}: {found.because}"
    return None


def trigger(subject: Subject) -> float | None:
    """1 where the target was read; a body that stands in the context needs no reading. None where nobody can tell."""
    opened = True if subject.cast.preloaded else subject.opened
    return None if opened is None else float(opened)


def share(subject: Subject, role: Role, settled: Mapping[str, Settled] | None) -> Share:
    """Checks and behaviours of one role. Without a judge the behaviours are left out, and the clause says
    so.
    """
    parts: list[tuple[Part, float]] = []
    cites: list[int] = []
    for found in subject.checked:
        if found.check.role is role:
            if found.passed is None:
                return Share(value=None, because=f"{found.check.id}: {found.because}")
            part = Part(name=found.check.id, value=float(found.passed), because=found.because)
            parts.append((part, found.check.weight))
            cites += found.cites
    behaviors = [behavior for behavior in subject.case.behaviors if behavior.role is role]
    wanted = {f"behavior/{behavior.id}" for behavior in behaviors}
    asked = [item for item in judged_items.behaviors(subject) if item.id in wanted]
    used = [settled[item.id] for item in asked if item.id in settled] if settled is not None else []
    why = judged_score.missing(asked, settled) if settled is not None else None
    if why:
        return Share(value=None, because=why, method=judged_score.method(used))
    told = weighed(subject, behaviors, settled or {})
    parts += zip(told.parts, told.weights, strict=True)
    weight = sum(each for _, each in parts)
    unasked = f"{len(asked)} behaviours were not judged" if settled is None and asked else ""
    if weight <= 0:
        left = judged_score.joined(unasked, told.left_out)
        return Share(
            value=None, because=left or f"the case has no {role.value} items", absent=not told.left_out,
            method=judged_score.method(used) if used else "deterministic",
        )  # fmt: skip
    shown = tuple(part for part, _ in parts)
    followed = judged_score.worst(shown, f"{len(shown)} of {len(shown)} items followed")
    return Share(
        value=sum(part.value * each for part, each in parts) / weight,
        because=judged_score.joined(followed, told.left_out, unasked),
        parts=shown,
        cites=(*cites, *told.cites),
        method=judged_score.method(used) if used else "deterministic",
    )


def combined(triggered: float, compliance: float | None, boundary: float | None, alpha: float = ALPHA) -> float | None:
    """SU; where the case has only steps or only prohibitions, those alone count. None where it has
    neither.
    """
    known = [(value, weight) for value, weight in ((compliance, alpha), (boundary, 1 - alpha)) if value is not None]
    total = sum(weight for _, weight in known)
    return triggered * sum(value * weight for value, weight in known) / total if total else None
