"""`check --format markdown`: a table of skills, then a table of findings; all text of others inert."""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Severity
from aces_ci.core.inert import cell, prose
from aces_ci.core.reading.checkup import Checkup, count


def markdown(checkup: Checkup) -> Iterator[str]:
    """Lines of a document that any forge renders."""
    yield "| Skill | Specification | Quality | Verdict |"
    yield "|:--|:--|:--|:--|"
    for checked in checkup.skills:
        errors = count(checked.findings, Severity.ERROR)
        spec = f"{errors} error{'' if errors == 1 else 's'}" if errors else "ok"
        score = checked.structure.score
        quality = "not known" if score is None else f"{score} of 100"
        yield f"| {cell(checked.structure.skill)} | {spec} | {quality} | {checked.verdict} |"
    if checkup.findings:
        yield ""
        yield "| Where | What | Fix | Rule |"
        yield "|:--|:--|:--|:--|"
    for finding in checkup.findings:
        where = cell(f"{finding.path}:{finding.line}")
        what = prose(f"{finding.severity.value}: {finding.title}").replace("|", "\\|")
        fix = prose(finding.hint).replace("|", "∣")
        yield f"| {where} | {what} | {fix} | [{finding.code}]({finding.url}) |"
    yield ""
    yield "Text only: agents were **not** tested."
