"""Rows of the page's skill table, and the sentence below its heading."""

from __future__ import annotations

import re

from aces_ci.core.amount import plural, signed
from aces_ci.core.finding import Severity
from aces_ci.core.inert import plain
from aces_ci.core.report import Report, SkillReport
from aces_ci.renderers._comment.table import judge, live


def lead(report: Report) -> str:
    """What decided, in one sentence."""
    if report.verdict.by:
        gate = report.verdict.by[0]
        owner = f"{plain(gate.skill, 80)}: " if gate.skill else ""
        return f"{owner}{plain(gate.reason)} (gate {gate.gate.value}, {gate.mode.value})."
    tested = any(skill.live for skill in report.skills)
    return "No gate blocks." if tested else "No gate blocks. Whether agents do better was not tested."


def skill_rows(report: Report) -> list[dict[str, str]]:
    """One dictionary of plain texts a skill."""
    return [_row(report, skill) for skill in report.skills]


def _row(report: Report, skill: SkillReport) -> dict[str, str]:
    structure = skill.structure
    errors = sum(finding.severity is Severity.ERROR for finding in skill.findings)
    quality = "–"
    if structure is not None and structure.score is not None:
        quality = str(structure.score)
        if structure.previous_score is not None:
            quality += f" ({signed(structure.score - structure.previous_score)})"
    spec = "not checked" if structure is None else plural(errors, "error") if errors else "keeps to it"
    return {
        "anchor": anchor(skill.change.path),
        "label": plain(skill.change.label, 64),
        "path": plain(skill.change.path, 160),
        "how": skill.change.how.value,
        "spec": spec,
        "tone": "bad" if errors else "good" if structure is not None else "mut",
        "quality": quality,
        "dimensions": " · ".join(f"{name} {value}" for name, value in structure.dimensions.items())
        if structure
        else "",
        "judge": judge(skill, report),
        "live": live(skill, report),
    }


def anchor(path: str) -> str:
    """An id that holds nothing but letters, digits and dashes."""
    return "skill-" + (re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-") or "root")
