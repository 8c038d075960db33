"""`metrics.txt`: numbers for GitLab's metrics widget and for Prometheus (OpenMetrics text)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aces_ci.core.finding import Severity
from aces_ci.core.inert import plain
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place


@dataclass(frozen=True, slots=True)
class Metrics:
    """A gauge a number; what is unknown is absent, never 0."""

    name: str = "metrics"
    filename: str = "metrics.txt"

    def render(self, report: Report, place: Place) -> str:
        """The text, closed by `# EOF`."""
        del place
        families: dict[str, list[str]] = {}
        for skill in report.skills:
            for name, labels, value in _rows(skill):
                families.setdefault(name, []).append(f"{name}{{{labels}}} {value}")
        if report.cost.usd_micros is not None:
            families["aces_cost_usd"] = [f"aces_cost_usd {report.cost.usd_micros / 1e6:.6f}"]
        lines = []
        for name, rows in families.items():
            lines += [f"# TYPE {name} gauge", *rows]
        return "\n".join([*lines, "# EOF"]) + "\n"


def _rows(skill: SkillReport) -> Iterator[tuple[str, str, str]]:
    label = f'skill="{_label(skill.change.path)}"'
    structure = skill.structure
    if structure is not None:
        errors = sum(finding.severity is Severity.ERROR for finding in skill.findings)
        yield "aces_spec_errors", label, str(errors)
        if structure.score is not None:
            yield "aces_quality_score", label, str(structure.score)
        for name, value in structure.dimensions.items():
            yield "aces_quality_dimension", f'{label},dimension="{_label(name)}"', str(value)
    judged = [item.score for item in skill.judgements if item.side == "head" and item.score is not None]
    if judged:
        yield "aces_judge_score", label, f"{sum(judged) / len(judged):.2f}"
    if skill.live is None:
        return
    for lift, contrast in ((skill.live.change, "change"), (skill.live.lift, "lift")):
        if lift is not None and lift.estimate is not None:
            for part in ("point", "low", "high"):
                yield "aces_lift", f'{label},contrast="{contrast}",part="{part}"', f"{getattr(lift.estimate, part):.4f}"
            yield "aces_lift_cases", f'{label},contrast="{contrast}"', str(lift.estimate.n)


def _label(text: str) -> str:
    return plain(text, 200).replace("\\", "\\\\").replace('"', '\\"')


RENDERER = Metrics()
