"""`aces.env`: the outputs of a run for later jobs. Fixed keys; values are words of ours or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.finding import Severity
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


def outputs(report: Report) -> Mapping[str, str]:
    """What action.yml and the component hand on. No value holds text of others."""
    findings = [finding for skill in report.skills for finding in skill.findings]
    scores = [s.structure.score for s in report.skills if s.structure and s.structure.score is not None]
    return {
        "verdict": report.verdict.state.value,
        "exit_code": str(report.verdict.exit_code),
        "skills": str(len(report.skills)),
        "errors": str(sum(f.severity is Severity.ERROR for f in findings)),
        "criticals": str(sum(f.severity is Severity.CRITICAL for f in findings)),
        "warnings": str(sum(f.severity is Severity.WARNING for f in findings)),
        "lowest_score": str(min(scores)) if scores else "",
        "cost_usd": f"{report.cost.usd_micros / 1e6:.6f}" if report.cost.usd_micros is not None else "",
    }


@dataclass(frozen=True, slots=True)
class Dotenv:
    """KEY=value lines, no blank values and no comments, as GitLab's dotenv report takes them."""

    name: str = "dotenv"
    filename: str = "aces.env"

    def render(self, report: Report, place: Place) -> str:
        """Keys are `ACES_` and the output's name in capitals."""
        del place
        return "".join(f"ACES_{key.upper()}={value}\n" for key, value in outputs(report).items() if value)


RENDERER = Dotenv()
