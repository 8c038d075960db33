"""Links of the comment, built by us alone: the text is a code span, the address is percent-encoded."""

from __future__ import annotations

from pathlib import PurePosixPath

from aces_ci.core import docs
from aces_ci.core.finding import Finding
from aces_ci.core.inert import cell, code
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


def to(text: str, url: str | None) -> str:
    """`text` (already Markdown) as a link, or by itself where the forge has no such page."""
    return f"[{text}]({url})" if url else text


def of_finding(report: Report, place: Place, finding: Finding, *, in_table: bool = False) -> str:
    """`SKILL.md:3` linked to that line at the head commit; the path is shown as seen from its skill."""
    shown = within(finding.path, finding.skill)
    line = None if finding.whole_file else finding.line
    label = shown if line is None else f"{shown}:{line}"
    repo = report.event.head_repo or report.event.repo
    url = place.links.blob(repo, report.event.head_sha, finding.path, line, finding.end_line)
    return to(cell(label, 80) if in_table else code(label, 80), url)


def within(path: str, skill: str) -> str:
    """A repository path as seen from a skill."""
    pure = PurePosixPath(path)
    return str(pure.relative_to(skill)) if skill != "." and pure.is_relative_to(skill) else path


def of_rule(finding: Finding) -> str:
    """The rule's code, linked to its page."""
    return to(code(finding.code, 16), docs.rule(finding.code))


def of_commit(place: Place, repo: str, sha: str) -> str:
    """Seven digits, linked."""
    return to(code(sha[:7]), place.links.commit(repo, sha))
