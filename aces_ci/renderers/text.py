"""`report.txt`: the verdict for a terminal or a log, 80 columns, no markup.

Backticks of a path or a fix stay: without them it would name another file.
"""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.amount import plural, tokens, usd
from aces_ci.core.asking.judge_score import worst
from aces_ci.core.asking.judge_text import INJECTION, advice, overall, suspected, who
from aces_ci.core.columns import folded
from aces_ci.core.finding import Finding, Severity, since
from aces_ci.core.headline import headline
from aces_ci.core.inert import visible
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place
from aces_ci.renderers import _imported
from aces_ci.renderers._live.plain import result_lines


@dataclass(frozen=True, slots=True)
class Text:
    """Findings as `path:line:column: severity code title`, then one line a skill."""

    name: str = "text"
    filename: str = "report.txt"

    def render(self, report: Report, place: Place) -> str:
        """The whole text; where it is to be smaller, without notes, and with their number."""
        lines = [headline(report).plain, ""]
        for skill in report.skills:
            lines += _findings(skill, notes=not place.smaller)
        left = sum(_is_note(finding) for skill in report.skills for finding in skill.findings) if place.smaller else 0
        if left:
            lines += [f"{plural(left, 'note')}, shown with -v.", ""]
        lines += _table(report)
        lines += _judged(report)
        lines += result_lines(report)
        for item in report.skipped:
            owner = f" ({visible(item.skill, 60)})" if item.skill else ""
            lines += folded(f"skipped: {item.tier.value}{owner}: {visible(item.because, 160)}", indent="  ")
        lines += _imported.lines(report)
        if not any(skill.live for skill in report.skills):
            lines.append("Text only: agents were not tested.")
        return "\n".join(lines) + "\n"


def _is_note(finding: Finding) -> bool:
    return finding.severity is Severity.INFO


def _findings(skill: SkillReport, *, notes: bool) -> list[str]:
    rows = []
    for finding in skill.findings:
        if _is_note(finding) and not notes:
            continue
        place = f"{visible(finding.path, 200)}:{finding.line}:{finding.column or 1}"
        told = f" ({since(finding)})" if finding.new is not None else ""
        rows.append(f"{place}: {finding.severity.value} {finding.code} {visible(finding.title, 80)}{told}")
        rows += folded(visible(finding.hint, 200), "  fix: ")
    return [*rows, ""] if rows else []


def _table(report: Report) -> list[str]:
    if not report.skills:
        return []
    width = max(5, *(len(visible(skill.change.label, 40)) for skill in report.skills))
    rows = [f"{'skill':<{width}}  {'spec':<10}  {'quality':>8}  weakest"]
    for skill in report.skills:
        structure = skill.structure
        errors = sum(finding.severity is Severity.ERROR for finding in skill.findings)
        spec = "removed" if structure is None else plural(errors, "error") if errors else "ok"
        score = "-" if structure is None or structure.score is None else str(structure.score)
        weakest = ""
        if structure is not None and structure.dimensions:
            name, value = min(structure.dimensions.items(), key=lambda item: item[1])
            weakest = f"{name} {value}"
        rows.append(f"{visible(skill.change.label, 40):<{width}}  {spec:<10}  {score:>8}  {weakest}".rstrip())
    return [*rows, ""]


def _judged(report: Report) -> list[str]:
    """What the judge says of each skill, and who it was; blank line at the end."""
    rows = [row for skill in report.skills for row in skill.judgements]
    if not rows:
        return []
    lines = []
    for skill in report.skills:
        if skill.judgements:
            lines.append(f"judge: {visible(skill.change.label, 40)}  {overall(skill.judgements)}")
            lines += [text for row in worst(skill.judgements) for text in advice(row)]
            lines += [f"  ! {INJECTION}"] if suspected(skill.judgements) else []
    cost = f"{usd(report.cost.judge_usd_micros)}, {tokens(sum(row.tokens for row in rows if not row.cached))} tokens"
    return [*lines, f"judge: {who(rows)} · {cost}", "Do not compare with another judge.", ""]


RENDERER = Text()
