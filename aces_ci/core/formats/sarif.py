"""Findings as SARIF 2.1.0, inside what GitHub publishes for code scanning.

One run of 20, 5,000 results shown of 25,000 accepted, 10 MB compressed, one location of 1,000, two tags of 20. The
fingerprint is our own and survives moved lines; GitHub's upload action adds `primaryLocationLineHash`, the only one
that GitHub itself compares, and warns of every one that is not its own, so none is written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from urllib.parse import quote

from aces_ci.core import docs
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.reading.further_codes import FURTHER, Code
from aces_ci.core.reading.rule_page import prose as page_of
from aces_ci.core.repo_path import bytes_of
from aces_ci.core.rule import Rule

MAX_RESULTS = 5_000
MAX_BYTES = 9_000_000
_FRAME = 100
"""Compressed bytes around the text of one result, its fingerprint among them."""
_LEVELS = {Severity.CRITICAL: "error", Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SECURITY = {Severity.CRITICAL: "9.0", Severity.ERROR: "7.0", Severity.WARNING: "5.0", Severity.INFO: "2.0"}


def sarif(findings: Sequence[Finding], rules: Iterable[Rule], version: str) -> dict[str, object]:
    """The document. The worst findings are in it, and a notification says how many others were left out."""
    ranked = sorted(findings, key=lambda finding: (finding.severity.rank, *finding.order))
    kept = _fitting(ranked[:MAX_RESULTS])
    used = {finding.code for finding in kept}
    known = [rule for rule in rules if rule.code in used]
    further = [code for code in FURTHER.values() if code.code in used]
    codes = [*(rule.code for rule in known), *(code.code for code in further)]
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "aces-ci",
                "semanticVersion": version,
                "informationUri": docs.page("rules"),
                "rules": [*map(_rule, known), *map(_further, further)],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, mark, codes) for finding, mark in zip(kept, stable(kept), strict=True)],
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


def _fitting(findings: list[Finding]) -> list[Finding]:
    """The first of them, as many as are inside `MAX_BYTES` even where none of their text can be compressed."""
    room = MAX_BYTES
    for number, finding in enumerate(findings):
        room -= len(f"{_text(finding)}{finding.path}".encode("utf-8", "surrogatepass")) + _FRAME
        if room < 0:
            return findings[:number]
    return findings


def _text(finding: Finding) -> str:
    return f"{finding.message} Fix: {finding.hint}"[:1000]


def stable(findings: Sequence[Finding]) -> tuple[str, ...]:
    """32 hexadecimal digits each: the finding within the repository, whatever happens to its line number.

    One that brings no identity is what it says; equal ones are told apart by their order.
    """
    seen: Counter[str] = Counter()
    marks = []
    for finding in findings:
        own = finding.fingerprint or "\0".join((finding.code, finding.path, finding.message))
        whole = f"{finding.skill}\0{own}"
        seen[whole] += 1
        whole += f"\0{seen[whole]}" if seen[whole] > 1 else ""
        marks.append(sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return tuple(marks)


def _rule(rule: Rule) -> Mapping[str, object]:
    prose = page_of(rule)
    properties: dict[str, object] = {"tags": [rule.category.value], "precision": _precision(rule)}
    if rule.category is Category.SECURITY:
        properties["security-severity"] = _SECURITY[rule.severity]
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.slug.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": prose[:1000]},
        "help": {"text": f"{prose[:1000]}\n\nFix: {rule.hint}"},
        "helpUri": docs.rule(rule.code),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": properties,
    }


def _further(code: Code) -> Mapping[str, object]:
    return {
        "id": code.code,
        "name": "".join(part.capitalize() for part in code.title.split()),
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.prose},
        "help": {"text": f"{code.prose}\n\nFix: {code.hint}"},
        "helpUri": docs.rule(code.code),
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": [code.category], "precision": "medium"},
    }


def _plain(text: str) -> str:
    """A message without links: `[text](target)` is one in SARIF too, and the text is partly somebody else's."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _precision(rule: Rule) -> str:
    return {"high": "high", "medium": "medium", "low": "low"}[rule.confidence.value]


def _result(finding: Finding, mark: str, codes: list[str]) -> Mapping[str, object]:
    # GitHub's table asks for all four; without `endColumn` the region ends with its last line, which is what is meant.
    last = max(finding.line, finding.end_line or finding.line)
    region = {"startLine": finding.line, "startColumn": finding.column or 1, "endLine": last}
    if finding.column and finding.end_column:
        least = finding.column + 1 if last == finding.line else 1
        region["endColumn"] = max(finding.end_column, least)
    result: dict[str, object] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": _plain(_text(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(bytes_of(finding.path)), "uriBaseId": "%SRCROOT%"},
                    "region": region,
                }
            }
        ],
        "partialFingerprints": {"acesCi/v1": mark},
    }
    if finding.code in codes:
        result["ruleIndex"] = codes.index(finding.code)
    return result
