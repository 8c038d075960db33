"""`check --format github`: workflow commands that become annotations; at most ten a level, as the runner shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aces_ci.core.finding import Finding, Severity
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
    """Worst first, new before old; the last of a full level says how many more there are."""
    found = sorted(checkup.findings, key=lambda finding: finding.order)
    totals = Counter(_LEVELS[finding.severity] for finding in found)
    written: Counter[str] = Counter()
    for finding in found:
        level = _LEVELS[finding.severity]
        if written[level] == PER_LEVEL:
            continue
        written[level] += 1
        left = totals[level] - PER_LEVEL
        more = f" ({left} more in the report)" if written[level] == PER_LEVEL and left > 0 else ""
        yield _order(level, finding, more)


def _order(level: str, finding: Finding, more: str) -> str:
    name = finding.skill.rsplit("/", 1)[-1] if finding.skill != "." else "root skill"
    properties = {"file": finding.path, "line": str(finding.line)}
    if finding.end_line:
        properties["endLine"] = str(finding.end_line)
    if finding.column and finding.end_line in (None, finding.line):
        properties["col"] = str(finding.column)
    properties["title"] = f"{name}: {finding.title}"[:60]
    listed = ",".join(f"{key}={escape_property(_flat(value))}" for key, value in properties.items())
    message = f"{finding.message} Fix: {finding.hint} ({finding.code}){more}"
    return f"::{level} {listed}::{escape_data(_flat(message))}"


def _flat(text: str) -> str:
    return inert(text)
