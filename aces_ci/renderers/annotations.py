"""What stands beside the lines of the diff: plain text, never Markdown."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from aces_ci.core.finding import Finding, Severity
from aces_ci.core.inert import plain
from aces_ci.core.pages import Annotation
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place
from aces_ci.renderers._live.plain import live_notes

TITLE_LIMIT = 60
PER_LEVEL = 10
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


def notes_of(report: Report) -> tuple[Annotation, ...]:
    """New before old, errors first, one a line and rule; at most ten a level, the last one counts the rest."""
    found = sorted((f for skill in report.skills for f in skill.findings), key=lambda f: f.order)
    seen: set[tuple[str, int, str]] = set()
    levels: dict[str, list[Annotation]] = {"error": [], "warning": [], "notice": []}
    for note in live_notes(report):
        levels[note.level].append(note)
    for finding in found:
        mark = (finding.path, finding.line, finding.code)
        if mark not in seen:
            seen.add(mark)
            levels[_LEVELS[finding.severity]].append(_of(finding))
    return tuple(note for notes in levels.values() for note in _capped(notes))


def _of(finding: Finding) -> Annotation:
    skill = finding.skill.rsplit("/", 1)[-1]
    name = plain(skill if skill != "." else "root skill", 30)
    message = f"{_sentence(plain(finding.message))} Fix: {plain(finding.hint, 300).rstrip('.')} ({finding.code})"
    return Annotation(
        level=_LEVELS[finding.severity],
        path=finding.path,
        line=finding.line,
        end_line=finding.end_line or finding.line,
        title=plain(f"{name}: {finding.title}", TITLE_LIMIT),
        message=message,
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _capped(notes: list[Annotation]) -> list[Annotation]:
    if len(notes) <= PER_LEVEL:
        return notes
    last = notes[PER_LEVEL - 1]
    more = f"{len(notes) - PER_LEVEL + 1} more in the summary"
    closing = Annotation(
        level=last.level, path=last.path, line=last.line, end_line=last.end_line, title=more, message=more
    )
    return [*notes[: PER_LEVEL - 1], closing]


@dataclass(frozen=True, slots=True)
class Annotations:
    """`annotations.json`, for posters and other tools."""

    name: str = "annotations"
    filename: str = "annotations.json"

    def render(self, report: Report, place: Place) -> str:
        """A JSON list of {level, path, line, end_line, title, message}."""
        del place
        return json.dumps([asdict(note) for note in notes_of(report)], indent=1) + "\n"


RENDERER = Annotations()
