"""Report to text: pure, one format a file."""

from __future__ import annotations

from typing import Protocol

from aces_ci.core.report import Report


class Renderer(Protocol):
    """A format of `run` and `report`. `render` never raises for any Report that validates."""

    name: str
    """As in `--format`."""
    filename: str
    """The file below the output directory."""

    def render(self, report: Report) -> str:
        """The whole document, newline at its end, UTF-8 encodable."""
        ...
