"""Results that another tool wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aces_ci.core.evidence import Imported


class Importer(Protocol):
    """One format of results. Detection is by keys, never by file name."""

    name: str
    checked: str
    """As `Dialect.checked`."""

    def claims(self, data: object) -> bool:
        """Whether this parsed JSON is of this format."""
        ...

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """Its figures, labelled with `source`. What is missing or broken is None with the reason, never 0."""
        ...
