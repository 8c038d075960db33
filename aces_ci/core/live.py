"""What the live tier says of one skill: the word, the number that decided, and everything shown beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.estimate import Estimate, Lift
from aces_ci.core.trial import Arm


class Word(StrEnum):
    """The words for results (`design/product.md` section 3)."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_DIFFERENCE = "no_difference"
    CANNOT_TELL = "cannot_tell"
    NO_VERDICT = "no_verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLevel:
    """One arm's mean outcome in [0, 1] with its interval, tokens and money a trial."""

    arm: Arm
    outcome: Estimate | None
    trials: int
    missing: int
    tokens: float | None
    usd_micros: float | None
    recorded: str | None = None
    """ISO date when this arm is taken from history: informs, never gates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """Means of one case by arm, in [0, 1]; None where no trial was scored."""

    case: str
    negative: bool
    levels: tuple[tuple[Arm, float | None], ...]
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric over arms and its contrast against the previous version."""

    metric: str
    levels: tuple[tuple[Arm, float | None], ...]
    change: Lift | None
    lift: Lift | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSummary:
    """The live result of one skill."""

    skill: str
    word: Word
    because: str
    """The clause behind the word; for no_verdict why the run was not fair."""
    change: Lift | None
    lift: Lift | None
    arms: tuple[ArmLevel, ...]
    cases: tuple[CaseRow, ...]
    metrics: tuple[MetricRow, ...]
    rules_out_drop: float | None = None
    smallest_detectable: float | None = None
    look: int = 1
    looks: int = 1
