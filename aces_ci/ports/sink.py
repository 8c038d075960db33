"""Where evidence goes as it arrives, so that a run that is killed at any moment has lost nothing that was paid for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from aces_ci.core.evidence import Evidence


class Sink(Protocol):
    """The output directory of one run. Every method may be called from several threads at once."""

    def add(self, evidence: Evidence) -> None:
        """One line of `evidence.jsonl`, on disk when this returns. A later line replaces an earlier one of its id."""
        ...

    def keep(self, files: Mapping[str, bytes]) -> None:
        """New files below the directory, all on disk when this returns. Names are relative and may hold slashes.

        Whoever is killed on the way leaves some of them: they count once a line of evidence names them.
        """
        ...

    def discard(self, name: str) -> None:
        """Take away what is called that below the directory, a whole folder or nothing at all."""
        ...

    def extend(self, name: str, line: str) -> None:
        """One line at the end of a file below the directory, on disk when this returns."""
        ...
