"""Report to text: pure, one format a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from aces_ci.core.report import Report
from aces_ci.core.rule import Rule
from aces_ci.ports.forge import Links


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the text will be read: what a renderer may know of the forge."""

    links: Links
    forge: str
    """github, gitlab or local: decides words and capabilities, never facts."""
    key: str = "default"
    smaller: bool = False
    """The same verdict in fewer words, for a forge that refused the long one."""
    rules: tuple[Rule, ...] = ()
    """Metadata of the rules, for formats that carry it beside the findings."""
    quality_report: bool = False
    """The forge shows findings in a widget of its own, so the comment drops its table of all findings."""


class Renderer(Protocol):
    """A format of `run` and `report`. `render` never raises for any Report that validates."""

    name: str
    """As in `--format`."""
    filename: str
    """The file below the output directory."""

    def render(self, report: Report, place: Place) -> str:
        """The whole document, newline at its end, UTF-8 encodable."""
        ...
