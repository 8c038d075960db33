"""One criterion of the judge as a value: what it asks, and where it does not apply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_SCORE = 10
PASS_SCORE = 7
"""A criterion passes from this score on, whatever the judge's own flag says."""
APART = 2
"""Two votes this far apart differ, and a third is asked."""


class Needs(StrEnum):
    """What a skill must have for the criterion to mean anything."""

    NOTHING = "nothing"
    FILES = "files"
    """Scripts or references beside the manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """One of the ten criteria."""

    name: str
    """Stable word with underscores; the reply repeats it."""
    place: int
    """Where it stands in tables, from 1."""
    asks: str
    """What is judged, one or two sentences."""
    high: str
    """What a 9 or 10 looks like."""
    low: str
    """What a 3 or less looks like."""
    needs: Needs = Needs.NOTHING
    version: int = 1
    """Raised when the wording changes; part of every cached answer's key."""

    @property
    def title(self) -> str:
        """As it stands in a table."""
        return self.name.replace("_", " ").replace("error handling", "error-handling")
