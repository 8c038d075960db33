"""Why a skill did not help, with the trace excerpts and the one suggestion that they support."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.trial import Arm


class Cause(StrEnum):
    """The classes of a zero or negative lift."""

    NEVER_DISCOVERED = "never_discovered"
    MISUSED = "misused"
    """Discovered, read, and then misleading."""
    UNSTABLE = "unstable"
    """The agent failed or timed out more often."""
    TRUNCATED = "truncated"
    """A cut-off answer, or one about the task instead of one to it."""
    SKIPPED_VERIFICATION = "skipped_verification"
    MORE_CALLS = "more_calls"
    """More tool calls for no better answer."""
    UNSAFE = "unsafe"
    """An unsafe step that the comparator does not take."""
    LISTED_AGAIN = "listed_again"
    """The same folder listed twice with nothing changed in between: no loss, worth a look."""
    READ_AGAIN = "read_again"
    """The same reading call made twice in the same way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Steps of one trajectory, shown beside another's. `lines` are untrusted text, one line each."""

    trial: str
    arm: Arm
    case: str
    steps: tuple[int, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of the skill's text. `side` is `head` or `base`."""

    path: str
    line: int
    side: str
    end_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One cause. A suggestion never stands without its `place` or `cites`."""

    cause: Cause
    cases: tuple[str, ...]
    seen: tuple[int, int]
    """In how many of how many runs of with_skill."""
    compared: tuple[int, int] | None = None
    """The same of the comparator."""
    what: str
    """What was seen, as data: a flag, a phrase, a tool; untrusted text."""
    suggestion: str = ""
    """One imperative clause of ours; empty where nothing can be cited."""
    place: Place | None = None
    cites: tuple[tuple[str, int], ...] = ()
    """(trial digest, step id)."""
    this: Excerpt | None = None
    other: Excerpt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """The causes found for one skill: evidence, because traces are not at hand when a report is made again."""

    skill: str
    causes: tuple[Diagnosis, ...]
    worth_a_look: tuple[Diagnosis, ...] = ()
    """What the traces of a skill without a loss show beside its result; decides nothing."""

    @property
    def id(self) -> str:
        """One a skill."""
        return f"diagnosed:{self.skill}"
