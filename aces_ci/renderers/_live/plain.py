"""The live results without markup: for terminals, CI logs and annotations."""

from __future__ import annotations

from aces_ci.core.amount import plural
from aces_ci.core.cause_text import look
from aces_ci.core.estimate import Contrast, Lift
from aces_ci.core.grading.points import signed
from aces_ci.core.inert import plain
from aces_ci.core.live import Word
from aces_ci.core.live_text import arm_lines, ascii_of, outcome_row, result_line
from aces_ci.core.pages import Annotation
from aces_ci.core.report import Report
from aces_ci.renderers._live.lead import lost
from aces_ci.renderers._live.shown import Live, lives

_LEVELS = {Word.REGRESSED: "error", Word.CANNOT_TELL: "notice", Word.NO_VERDICT: "warning"}


def result_lines(report: Report) -> list[str]:
    """One `result:` line a skill; for a single skill its arms as well. Empty without live results."""
    found = lives(report)
    if not found:
        return []
    width = max(len(plain(live.skill.change.label, 40)) for live in found)
    lines = []
    for live in found:
        lines.append(f"result: {result_line(live.summary, live.skill.change.label, live.base, width)}")
        lines += [f"  {ascii_of(text)}" for text in lost(live.summary)]
        lines += [f"  worth a look: {look(item, plain(item.what, 80))}" for item in live.summary.worth_a_look]
    return [*lines, *(arm_lines(found[0].summary, found[0].base) if len(found) == 1 else []), ""]


def live_notes(report: Report) -> list[Annotation]:
    """One a skill that regressed, has no verdict or cannot be told, at the line that the diagnosis cites."""
    return [_annotation(live) for live in lives(report) if live.summary.word in _LEVELS]


def _annotation(live: Live) -> Annotation:
    summary, label = live.summary, plain(live.skill.change.label, 30)
    cause = next((item for item in summary.diagnosis if item.place and item.place.side == "head"), None)
    line = cause.place.line if cause and cause.place else 1
    message = _message(live, live.decisive)
    if cause is not None:
        message += (
            f" In {cause.seen[0]} of {cause.seen[1]} runs the agent followed this line ({plain(cause.what, 60)})."
        )
        message += f" Fix: try {cause.suggestion}." if cause.suggestion else ""
    return Annotation(
        level=_LEVELS[summary.word],
        path=f"{live.skill.change.path}/SKILL.md" if live.skill.change.path != "." else "SKILL.md",
        line=line,
        end_line=line,
        title=plain(f"{label}{_title(live)}", 60),
        message=f"{message} Traces: report.html.",
    )


def _title(live: Live) -> str:
    lift = live.decisive
    points = "" if lift is None or lift.estimate is None else f" ({ascii_of(signed(lift.estimate.point))} points)"
    against = plain(live.base, 20) if live.summary.basis is Contrast.CHANGE else "no skill"
    if live.summary.word is Word.REGRESSED:
        return f" got worse than on {against}{points}" if against != "no skill" else f": worse than no skill{points}"
    return ": no verdict from the live run" if live.summary.word is Word.NO_VERDICT else ": cannot tell yet"


def _message(live: Live, lift: Lift | None) -> str:
    summary = live.summary
    size = f"{plural(len(summary.cases), 'case')} x {plural(summary.attempts, 'run')}"
    if lift is None or lift.estimate is None:
        return f"{plain(summary.because, 200)}; {size}."
    ends = ascii_of(f"{signed(lift.estimate.low)} to {signed(lift.estimate.high)}").replace("+", "")
    row = outcome_row(summary)
    other = row.levels[1 if summary.basis is Contrast.CHANGE else 0]
    text = f"{other} to {row.levels[2]} of 100, 95 % interval {ends}, {size}."
    return text if summary.word is Word.REGRESSED else f"{text} {plain(summary.because, 200)}."
