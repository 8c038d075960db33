"""Where evidence goes as it arrives, so that a run that is killed at any moment has lost nothing that was paid for."""

from __future__ import annotations

from typing import Protocol

from aces_ci.core.evidence import Evidence


class Sink(Protocol):
    """The output directory of one run. Every method may be called from several threads at once."""

    def add(self, evidence: Evidence) -> None:
        """One line of `evidence.jsonl`, on disk when this returns. A later line replaces an earlier one of its id."""
        ...

    def keep(self, name: str, data: bytes) -> None:
        """A whole file below the directory, in one step. `name` is relative and may hold slashes."""
        ...

    def extend(self, name: str, line: str) -> None:
        """One line at the end of a file below the directory, on disk when this returns."""
        ...
