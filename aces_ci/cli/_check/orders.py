"""`check --format github`: workflow commands that become annotations; at most ten a level, as the runner shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from aces_ci.core.finding import Finding, Severity
from aces_ci.core.inert import plain
from aces_ci.core.reading.checkup import Checkup
from aces_ci.shell.log import escape_data, escape_property, inert

PER_LEVEL = 10
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


def orders(checkup: Checkup) -> Iterator[str]:
    """Worst first, new before old; the last of a full level only says how many more there are."""
    found = sorted(checkup.findings, key=lambda finding: finding.order)
    totals = Counter(_LEVELS[finding.severity] for finding in found)
    written: Counter[str] = Counter()
    for finding in found:
        level = _LEVELS[finding.severity]
        if written[level] == PER_LEVEL:
            continue
        written[level] += 1
        left = totals[level] - PER_LEVEL + 1
        if written[level] == PER_LEVEL and left > 1:
            more = f"{left} more in the summary"
            yield _written(level, {"file": finding.path, "line": str(finding.line), "title": more}, more)
        else:
            yield _order(level, finding)


def _order(level: str, finding: Finding) -> str:
    name = finding.skill.rsplit("/", 1)[-1] if finding.skill != "." else "root skill"
    properties = {"file": finding.path, "line": str(finding.line)}
    if finding.end_line:
        properties["endLine"] = str(finding.end_line)
    if finding.column and finding.end_line in (None, finding.line):
        properties["col"] = str(finding.column)
    properties["title"] = plain(f"{name}: {finding.title}", 60)
    return _written(level, properties, f"{plain(finding.message)} Fix: {plain(finding.hint)} ({finding.code})")


def _written(level: str, properties: Mapping[str, str], message: str) -> str:
    listed = ",".join(f"{key}={escape_property(inert(value))}" for key, value in properties.items())
    return f"::{level} {listed}::{escape_data(inert(message))}"
