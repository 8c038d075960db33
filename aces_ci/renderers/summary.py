"""The job summary: the comment without its marker, for pages that have no comment."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place
from aces_ci.renderers.comment import RENDERER as COMMENT


@dataclass(frozen=True, slots=True)
class Summary:
    """`summary.md`."""

    name: str = "summary"
    filename: str = "summary.md"

    def render(self, report: Report, place: Place) -> str:
        """The comment from its heading on."""
        return COMMENT.render(report, place).split("\n", 1)[1]


RENDERER = Summary()
