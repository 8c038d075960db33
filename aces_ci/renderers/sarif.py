"""`results.sarif`: findings for code scanning."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aces_ci.core.formats.sarif import sarif
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


@dataclass(frozen=True, slots=True)
class Sarif:
    """SARIF 2.1.0 within GitHub's limits."""

    name: str = "sarif"
    filename: str = "results.sarif"

    def render(self, report: Report, place: Place) -> str:
        """The document, indented, ASCII only."""
        findings = [finding for skill in report.skills for finding in skill.findings]
        return json.dumps(sarif(findings, place.rules, report.version), indent=1) + "\n"


RENDERER = Sarif()
