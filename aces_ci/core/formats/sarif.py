"""Findings as SARIF 2.1.0, inside GitHub's published limits (one run, 5,000 results shown, 20 tags a rule)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from urllib.parse import quote

from aces_ci.core import docs
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.rule import Rule

MAX_RESULTS = 5_000
_LEVELS = {Severity.CRITICAL: "error", Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SECURITY = {Severity.CRITICAL: "9.0", Severity.ERROR: "7.0", Severity.WARNING: "5.0", Severity.INFO: "2.0"}


def sarif(findings: Sequence[Finding], rules: Iterable[Rule], version: str) -> dict[str, object]:
    """The document. Findings beyond 5,000 are left out, worst first, and a notification says how many."""
    kept = sorted(findings, key=lambda finding: finding.order)[:MAX_RESULTS]
    used = {finding.code for finding in kept}
    known = [rule for rule in rules if rule.code in used]
    codes = [rule.code for rule in known]
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "aces-ci",
                "semanticVersion": version,
                "informationUri": docs.page("rules"),
                "rules": [_rule(rule) for rule in known],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes) for finding in kept],
    }
    if len(kept) < len(findings):
        text = f"{len(findings) - len(kept)} more findings were left out."
        notice = {"level": "note", "message": {"text": text}}
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [notice]}]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def stable(finding: Finding) -> str:
    """32 hexadecimal digits: the finding within the repository, whatever happens to its line number."""
    return sha256(f"{finding.skill}\0{finding.fingerprint or finding.id}".encode("utf-8", "surrogatepass")).hexdigest()[
        :32
    ]


def _rule(rule: Rule) -> Mapping[str, object]:
    properties: dict[str, object] = {"tags": [rule.category.value], "precision": _precision(rule)}
    if rule.category is Category.SECURITY:
        properties["security-severity"] = _SECURITY[rule.severity]
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.slug.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": (rule.prose or rule.title).strip()[:1000]},
        "help": {"text": f"{(rule.prose or rule.title).strip()[:1000]}\n\nFix: {rule.hint}"},
        "helpUri": docs.rule(rule.code),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": properties,
    }


def _plain(text: str) -> str:
    """A message without links: `[text](target)` is one in SARIF too, and the text is partly somebody else's."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _precision(rule: Rule) -> str:
    return {"high": "high", "medium": "medium", "low": "low"}[rule.confidence.value]


def _result(finding: Finding, codes: list[str]) -> Mapping[str, object]:
    region: dict[str, int] = {"startLine": finding.line}
    if finding.column:
        region["startColumn"] = finding.column
        if finding.end_column and finding.end_line in (None, finding.line):
            region["endColumn"] = max(finding.end_column, finding.column + 1)
    if finding.end_line and finding.end_line > finding.line:
        region["endLine"] = finding.end_line
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": _plain(f"{finding.message} Fix: {finding.hint}"[:1000])},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.path, safe="/%"), "uriBaseId": "%SRCROOT%"},
                    "region": region,
                }
            }
        ],
        "partialFingerprints": {"acesCi/v1": stable(finding)},
    }
    if finding.code in codes:
        result["ruleIndex"] = codes.index(finding.code)
    return result
