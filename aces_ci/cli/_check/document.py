"""`check --format json`: one document with every skill, its scores and its findings."""

from __future__ import annotations

from aces_ci.core.finding import Finding
from aces_ci.core.reading.checkup import Checked, Checkup
from aces_ci.core.rule import WEIGHTS


def document(checkup: Checkup) -> dict[str, object]:
    """One JSON-ready mapping."""
    return {
        "schema_version": 1,
        "tool": {"name": "aces-ci", "version": checkup.version},
        "profile": checkup.profile.value,
        "verdict": checkup.verdict,
        "skills": [_skill(checked) for checked in checkup.skills],
        "baseline": {"known": checkup.known, "fixed": checkup.fixed},
    }


def letter(score: int | None) -> str | None:
    """A from 90, B from 80, C from 70, D from 60, else F."""
    if score is None:
        return None
    return next((grade for grade, least in (("A", 90), ("B", 80), ("C", 70), ("D", 60)) if score >= least), "F")


def _skill(checked: Checked) -> dict[str, object]:
    structure = checked.structure
    unreadable = checked.unreadable
    return {
        "path": structure.skill,
        "name": structure.name,
        "manifest": checked.manifest,
        "verdict": checked.verdict,
        "blocked_by": checked.blocked,
        "spec": {"conformant": structure.conformant},
        "score": structure.score,
        "grade": letter(structure.score),
        "dimensions": {
            dimension.value: {"score": structure.dimensions[dimension.value], "weight": weight}
            for dimension, weight in WEIGHTS.items()
            if dimension.value in structure.dimensions
        },
        "deductions": dict(structure.deductions),
        "findings": [finding_entry(finding) for finding in checked.findings],
        "skipped": dict(structure.skipped_rules),
        "ignored": dict(structure.ignored),
        "parse_error": finding_entry(unreadable) if unreadable else None,
    }


def finding_entry(finding: Finding) -> dict[str, object]:
    """One finding as every JSON of ours shows it."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "category": finding.category.value,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "column": finding.column,
        "title": finding.title,
        "message": finding.message,
        "hint": finding.hint,
        "url": finding.url,
        "confidence": finding.confidence.value,
        "new": finding.new,
        "fingerprint": finding.fingerprint,
    }
