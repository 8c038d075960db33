"""What a metric says about a trial: a value in [0, 1], or None and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A sub-check that applied. One that did not apply is absent, never 1.0."""

    name: str
    value: float
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One metric of one trial. `value` None means unscored, and `because` says why."""

    trial: str
    """Digest of the trial."""
    metric: str
    value: float | None
    because: str
    cites: tuple[int, ...] = ()
    """Step ids of the trajectory, 1-based as in ATIF."""
    parts: tuple[Part, ...] = ()
    method: str = "deterministic"
    """`deterministic`, or judge id / prompt version / method; arms with different ones are not compared."""

    agreement: tuple[int, int] | None = None
    """Items on which the first two votes agree, of all with two votes; None where no judge voted."""
    fallback: str = ""
    """Why another method graded it than the one that was to: then it graded every arm."""

    @property
    def id(self) -> str:
        """Identity in the evidence file."""
        return f"score:{self.trial}:{self.metric}:{self.method}"
