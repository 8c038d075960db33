"""Findings as GitLab's Code Quality report: a JSON list, fingerprints unique and stable under line moves."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.finding import Finding, Severity
from aces_ci.core.formats.sarif import stable

_SEVERITY = {
    Severity.CRITICAL: "blocker",
    Severity.ERROR: "critical",
    Severity.WARNING: "minor",
    Severity.INFO: "info",
}


def code_quality(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """One entry a finding, as docs.gitlab.com/ci/testing/code_quality describes."""
    return [
        {
            "description": f"{finding.message} Fix: {finding.hint} ({finding.code})",
            "check_name": finding.code,
            "fingerprint": mark,
            "severity": _SEVERITY[finding.severity],
            "location": {
                "path": finding.path,
                "lines": {"begin": finding.line, "end": max(finding.line, finding.end_line or 0)},
            },
        }
        for finding, mark in zip(findings, stable(findings), strict=True)
    ]
