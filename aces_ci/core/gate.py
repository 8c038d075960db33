"""Gates as pure predicates over evidence; seen together because they are policy.

A gate never passes by absence: what it needs and does not find is *undecidable*.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """What a broken gate does."""

    BLOCK = "block"
    ADVISE = "advise"
    OFF = "off"


class Outcome(StrEnum):
    """What a gate says."""

    MET = "met"
    BROKEN = "broken"
    UNDECIDABLE = "undecidable"
    """Its evidence is missing, and the reason says why."""
    ACCEPTED = "accepted"
    """Broken, and a writer accepted the loss at this commit."""
    OFF = "off"


class GateName(StrEnum):
    """All gates, in the order in which a reader should hear of them."""

    SPEC = "spec"
    SECURITY = "security"
    REGRESSION = "regression"
    EVALS = "evals"
    INVALID = "invalid"
    STRUCTURAL = "structural"
    JUDGE = "judge"
    LIFT = "lift"
    INCOMPLETE = "incomplete"
    INCONCLUSIVE = "inconclusive"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate's word on one skill (`skill` None: on the run)."""

    gate: GateName
    mode: Mode
    outcome: Outcome
    skill: str | None
    reason: str
    """One clause."""
    cites: tuple[str, ...] = ()
    """Ids of the evidence it rests on."""

    @property
    def blocks(self) -> bool:
        """Whether the exit code hears of it."""
        return self.mode is Mode.BLOCK and self.outcome is Outcome.BROKEN
