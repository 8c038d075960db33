"""The sub-checks of one deterministic metric: those that were told, and those that nobody can tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from aces_ci.core.grading.subject import Subject
from aces_ci.core.score import Part, Score


@dataclass(slots=True)
class Sheet:
    """Filled in sub-check by sub-check; one that does not apply is not on it."""

    parts: list[Part] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    """A clause for each sub-check that applies and cannot be told."""
    cites: list[int] = field(default_factory=list)

    def add(self, name: str, value: float, because: str, *cites: int) -> None:
        """A sub-check that was told, in [0, 1]."""
        self.parts.append(Part(name=name, value=value, because=because))
        self.cites += cites

    def doubt(self, name: str, because: str) -> None:
        """A sub-check that applies and that nobody can tell."""
        self.doubts.append(f"{name} cannot be told: {because}")

    def score(self, subject: Subject, metric: str, nothing: str) -> Score:
        """The mean of the sub-checks; None with a doubt, which a mean of the rest would hide, and with `nothing`."""
        parts, cites = tuple(self.parts), tuple(self.cites)
        if self.doubts:
            return subject.score(metric, None, "; ".join(self.doubts), cites=cites, parts=parts)
        if not parts:
            return subject.score(metric, None, nothing)
        value = sum(part.value for part in parts) / len(parts)
        worst = min(parts, key=lambda part: part.value)
        return subject.score(metric, value, worst.because, cites=cites, parts=parts)
