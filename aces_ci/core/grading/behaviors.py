"""Behaviours of a case as weighed parts: read off the trace, or as the judge told them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.grading import judged_items, judged_score
from aces_ci.core.grading.judged import Settled
from aces_ci.core.grading.opening import opening
from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part
from aces_ci.core.suites.case import Behavior


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Those that were told, with their weights; `left_out` is the clause about the rest."""

    parts: tuple[Part, ...]
    weights: tuple[float, ...]
    cites: tuple[int, ...]
    left_out: str

    @property
    def weight(self) -> float:
        """Of all that were told."""
        return sum(self.weights)

    @property
    def value(self) -> float:
        """The weighted share of those that are met; `weight` must not be 0."""
        return sum(part.value * each for part, each in zip(self.parts, self.weights, strict=True)) / self.weight


def weighed(subject: Subject, behaviors: Sequence[Behavior], settled: Mapping[str, Settled]) -> Weighed:
    """Every behaviour that can be told. One whose item is not in `settled` was not asked: it is passed over."""
    items = {item.id: item for item in judged_items.behaviors(subject)}
    parts: list[tuple[Part, float]] = []
    clauses: list[str] = []
    cites: list[int] = []
    for behavior in behaviors:
        found = opening(subject, behavior)
        item = items.get(f"behavior/{behavior.id}")
        if found is not None and found.met is None:
            clauses.append(f"{behavior.id}: {found.because}")
        elif found is not None:
            part = Part(name=behavior.id, value=float(bool(found.met)), because=found.because)
            parts.append((part, behavior.weight))
        elif item is not None and item.id in settled:
            parts += [(part, behavior.weight) for part in judged_score.parts([item], settled)]
            clauses += judged_score.untold([item], settled)
            cites += judged_score.cites([item], settled)
    return Weighed(
        parts=tuple(part for part, _ in parts),
        weights=tuple(weight for _, weight in parts),
        cites=tuple(cites),
        left_out=judged_score.left_out(clauses, len(behaviors)),
    )
