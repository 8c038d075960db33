"""Findings as JUnit XML: a suite a skill, a case a category; only what blocks is a failure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from aces_ci.core.finding import Category, Finding, Severity

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CASES = {
    Category.SPEC: "specification",
    Category.QUALITY: "quality",
    Category.SECURITY: "security",
    Category.LINT: "script lint",
    Category.EVALS: "evals",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierCase:
    """A tier beyond the text: judge or live. Failed, skipped or neither, each with its reason."""

    name: str
    failed: str | None = None
    skipped: str | None = None
    said: str = ""


def junit(
    skills: Iterable[tuple[str, tuple[Finding, ...], str | None]],
    seconds: float,
    tiers: Mapping[str, Sequence[TierCase]] | None = None,
) -> str:
    """The document. Each skill is (path, findings, why its profile's gate fails or None); `tiers` are by path."""
    root = ElementTree.Element("testsuites", name="aces-ci", time=f"{seconds:.3f}")
    tests = failures = 0
    for path, findings, blocked in skills:
        suite = ElementTree.SubElement(root, "testsuite", name=_text(path))
        failed = 0
        for category, title in _CASES.items():
            mine = [finding for finding in findings if finding.category is category]
            if not mine and category not in (Category.SPEC, Category.QUALITY, Category.SECURITY):
                continue
            case = ElementTree.SubElement(suite, "testcase", classname=_text(path), name=title, time="0")
            bad = [f for f in mine if f.severity in (Severity.CRITICAL, Severity.ERROR)]
            reason = f"{len(bad)} blocking: {bad[0].title}" if bad else None
            if category is Category.QUALITY and blocked:
                reason = reason or blocked
            if reason:
                failed += 1
                failure = ElementTree.SubElement(case, "failure", message=_text(reason))
                failure.text = _text("\n".join(_line(finding) for finding in (bad or mine)))
            advice = [finding for finding in mine if finding not in bad]
            if advice:
                ElementTree.SubElement(case, "system-out").text = _text("\n".join(_line(f) for f in advice))
            tests += 1
        for tier in (tiers or {}).get(path, ()):
            failed += _tier(suite, path, tier)
            tests += 1
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(failed))
        # The schema that Jenkins and pytest keep to asks for the errors, too: a tier that did not run is skipped.
        suite.set("errors", "0")
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
        failures += failed
    root.set("tests", str(tests))
    root.set("failures", str(failures))
    root.set("errors", "0")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _tier(suite: ElementTree.Element, path: str, tier: TierCase) -> int:
    """One case of a later tier; returns how many failures it adds."""
    case = ElementTree.SubElement(suite, "testcase", classname=_text(path), name=tier.name, time="0")
    if tier.failed is not None:
        ElementTree.SubElement(case, "failure", message=_text(tier.failed))
    elif tier.skipped is not None:
        ElementTree.SubElement(case, "skipped", message=_text(tier.skipped))
    if tier.said:
        ElementTree.SubElement(case, "system-out").text = _text(tier.said)
    return int(tier.failed is not None)


def _line(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line}"
    return f"{place}: {finding.severity.value} {finding.code} {finding.message} Fix: {finding.hint}"


def _text(value: str) -> str:
    """Without the characters that XML cannot hold at all."""
    return _FORBIDDEN.sub("\ufffd", value)
