"""What would start once a person lets a fork's commit be measured: computed without a key, a model or money."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What a change does to a script that agents may run."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptChange:
    """One changed script of a skill."""

    path: str
    """Repository-relative."""
    fate: Fate
    lines: int | None = None
    """At the head; None where it is gone or was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The live run of one skill that waits. Pairs are (at the first look, at the last look)."""

    skill: str
    cases: int = 0
    """Of the target branch, which decide."""
    own_cases: int = 0
    """Of the change, run as a second table; 0 where they are the same ones, or cannot be read."""
    cases_changed: int | None = None
    """Cases that the change adds, removes or edits; None where one of the sides cannot be read."""
    arms: int = 0
    agents: int = 0
    attempts: tuple[int, int] = (0, 0)
    """Per case, arm and agent."""
    runs: tuple[int, int] = (0, 0)
    usd_micros: tuple[int, int] | None = None
    """Of the agents, without the judge; None: no price is known for a model."""
    minutes: tuple[float, float] = (0.0, 0.0)
    scripts: tuple[ScriptChange, ...] = ()
    because: str = ""
    """Why no agent would run, as a clause; empty where some would."""

    @property
    def id(self) -> str:
        """One a skill."""
        return f"proposed:{self.skill}"
