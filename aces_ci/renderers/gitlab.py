"""`gl-code-quality.json`: findings for GitLab's Code Quality widget."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aces_ci.core.formats.code_quality import code_quality
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


@dataclass(frozen=True, slots=True)
class CodeQuality:
    """A JSON list without a byte order mark."""

    name: str = "gitlab"
    filename: str = "gl-code-quality.json"

    def render(self, report: Report, place: Place) -> str:
        """The list, ASCII only."""
        del place
        findings = [finding for skill in report.skills for finding in skill.findings]
        return json.dumps(code_quality(findings), indent=1) + "\n"


RENDERER = CodeQuality()
