"""What is worth fixing and does not block, and the fold with all findings."""

from __future__ import annotations

from aces_ci.core.amount import NBSP, plural
from aces_ci.core.finding import Finding, Severity
from aces_ci.core.inert import cell, code, prose
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links
from aces_ci.renderers._comment.fix import is_code
from aces_ci.renderers._comment.lead import deciding_finding

TOP = 3
FOLD_ROWS = 8
"""A fold opens whole in an e-mail."""
_MARK = {Severity.CRITICAL: "🔒", Severity.ERROR: "❌"}


def worth_fixing(report: Report, place: Place) -> list[str]:
    """Errors beyond the one in the lead, then the first pieces of advice; blank line at the end."""
    first = deciding_finding(report)
    findings = [finding for skill in report.skills for finding in skill.findings if finding is not first]
    bad = [f for f in findings if f.severity in {Severity.ERROR, Severity.CRITICAL}]
    advice = sorted((f for f in findings if f.severity is Severity.WARNING), key=_rank)
    lines: list[str] = []
    if bad:
        lines += [f"**Also{'' if len(bad) <= TOP else f' ({TOP} of {len(bad)})'}**"]
        lines += [_numbered(report, place, index, f) for index, f in enumerate(bad[:TOP], start=1)]
        lines += [""]
    if advice:
        told = f"{TOP} of {len(advice)}" if len(advice) > TOP else str(len(advice))
        if any(finding.new is False for finding in advice):
            told += f", {sum(finding.new is not False for finding in advice) or 'none'} new"
        count = f" ({told})"
        lines += [f"**Worth fixing, does not block**{count}"]
        lines += [_numbered(report, place, index, f) for index, f in enumerate(advice[:TOP], start=1)]
        lines += [""]
    return lines


def _rank(finding: Finding) -> tuple[object, ...]:
    """New first; then what decides whether a skill is chosen, and what is pinned to a place, before the general."""
    pinned = finding.whole_file or (finding.column or 1) > 1 or finding.code.startswith("DI")
    return (finding.new is False, finding.severity.rank, not pinned, finding.path, finding.line, finding.code)


def _numbered(report: Report, place: Place, index: int, finding: Finding) -> str:
    several = len(report.skills) > 1
    owner = f"{code(finding.skill.rsplit('/', 1)[-1], 64)} " if several else ""
    where = links.of_finding(report, place, finding)
    # "`scripts/x.py` is mentioned nowhere": the link is already the subject of the sentence.
    subject = f"`{links.within(finding.path, finding.skill)}` "
    rest = finding.message.removeprefix(subject) if finding.whole_file else finding.message
    said = prose(rest, 320) if rest != finding.message else _sentence(rest)
    return f"{index}. {owner}{where} {said} {_fix(finding)} {links.of_rule(finding)}"


def _fix(finding: Finding) -> str:
    return code(finding.hint, 320) if is_code(finding) else _sentence(finding.hint)


def _sentence(text: str) -> str:
    shown = prose(text, 320)
    if shown[:1].islower():
        shown = shown[0].upper() + shown[1:]
    return shown if shown.endswith((".", "!", "?", "…", '."', ".”")) else f"{shown}."


def all_findings(report: Report, place: Place) -> list[str]:
    """The fold with every finding, or nothing where there are none or the forge shows them itself."""
    findings = [finding for skill in report.skills for finding in skill.findings]
    if not findings or place.quality_report or place.smaller:
        return []
    several = len(report.skills) > 1
    told = [f for f in findings if f.severity is not Severity.INFO] or findings
    shown = sorted(told, key=lambda f: (f.severity.rank, f.order))[:FOLD_ROWS]
    total = plural(len(findings), "finding")
    title = f"All {total}" if len(shown) == len(findings) > 1 else total
    lines = [f"<details><summary>{title}</summary>", ""]
    lines += ["| | Where | What | Fix | Rule |", "|:--|:--|:--|:--|:--|"]
    lines += [_fold_row(report, place, finding, several=several) for finding in shown]
    if len(findings) > len(shown):
        lines += ["", f"{len(findings) - len(shown)} more, notes among them, in the report."]
    return [*lines, "", _dimensions(report), "</details>"]


def _fold_row(report: Report, place: Place, finding: Finding, *, several: bool) -> str:
    mark = _MARK.get(finding.severity)
    word = "critical" if finding.severity is Severity.CRITICAL else finding.severity.value
    first = f"{mark}{NBSP}{word}" if mark else ("note" if finding.severity is Severity.INFO else "advice")
    first += ", old" if finding.new is False else ""
    owner = f"{cell(finding.skill.rsplit('/', 1)[-1], 40)} " if several else ""
    where = links.of_finding(report, place, finding, in_table=True)
    line = finding.replacement[1] if finding.replacement else finding.hint if is_code(finding) else None
    fix = _in_cell(finding.hint, 140) if line is None else cell(line, 80)
    return f"| {first} | {owner}{where} | {_in_cell(finding.title, 80)} | {fix} | {links.of_rule(finding)} |"


def _in_cell(text: str, limit: int) -> str:
    return prose(text, limit).replace("|", "∣").replace("\\", "＼")


def _dimensions(report: Report) -> str:
    rows = []
    for skill in report.skills:
        if skill.structure is None or not skill.structure.dimensions:
            continue
        values = " · ".join(f"{name} {value}" for name, value in skill.structure.dimensions.items())
        rows.append(values if len(report.skills) == 1 else f"{code(skill.change.label, 64)} {values}")
    return f"Quality by dimension: {'; '.join(rows[:8])}." if rows else ""
