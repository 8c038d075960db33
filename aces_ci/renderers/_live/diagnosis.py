"""Why, or what is worth a look, with the place in the skill's text and the traces that show it."""

from __future__ import annotations

from aces_ci.core.cause_text import TITLES, look
from aces_ci.core.diagnosis import Cause, Diagnosis
from aces_ci.core.estimate import Contrast
from aces_ci.core.inert import code, fence
from aces_ci.core.report import Report
from aces_ci.core.trial import Arm
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links
from aces_ci.renderers._live.shown import FINE, Live

SHOWN = 2
"""Causes, and things worth a look, above the folds."""


def why(report: Report, place: Place, live: Live) -> list[str]:
    """`Why: …` with at most two causes, each cited; blank line at the end, empty without a diagnosis."""
    found = live.summary.diagnosis[:SHOWN]
    if not found:
        return []
    cases = ", ".join(dict.fromkeys(code(case, 48) for item in found for case in item.cases[:3]))
    lines = [f"**Why: {TITLES[found[0].cause]}**{f' in {cases}' if cases else ''}"]
    lines += [f"{index}. {_item(report, place, live, item)}" for index, item in enumerate(found, start=1)]
    return [*lines, ""]


def worth_a_look(report: Report, place: Place, live: Live) -> list[str]:
    """What the traces show of a result that is fine, each with its line or its trace; blank line at the end."""
    found = live.summary.worth_a_look if live.summary.word in FINE and not live.summary.diagnosis else ()
    if not found:
        return []
    count = f"{SHOWN} of {len(found)}" if len(found) > SHOWN else str(len(found))
    lines = [f"**Worth a look** ({count})"]
    for index, item in enumerate(found[:SHOWN], start=1):
        where = _where(report, place, live, item)
        trace = f" [trace]({report.links.report})" if report.links.report and item.cites else ""
        lines.append(f"{index}. {f'{where} ' if where else ''}{look(item, code(item.what, 120))}{trace}")
    return [*lines, ""]


def _item(report: Report, place: Place, live: Live, item: Diagnosis) -> str:
    runs = f"{item.seen[0]} of {item.seen[1]} runs"
    before = f", before in {item.compared[0]} of {item.compared[1]}" if item.compared else ""
    text = f"{_said(_where(report, place, live, item), live, item)} in {runs}{before}."
    if item.suggestion:
        text += f" **Try** {item.suggestion}."
    if report.links.report and item.cites:
        text += f" [Traces]({report.links.report})"
    return text


def _said(where: str, live: Live, item: Diagnosis) -> str:
    """The line and what it did; the numbers follow."""
    what = code(item.what, 120)
    if not where:
        return what
    if item.cause is Cause.MISUSED:
        return f"{where} {'now ' if live.summary.basis is Contrast.CHANGE else ''}says {what}. Used"
    if item.cause is Cause.SKIPPED_VERIFICATION:
        return f"{where} is gone. {what} is skipped"
    return f"{where}: {what}"


def _where(report: Report, place: Place, live: Live, item: Diagnosis) -> str:
    if item.place is None:
        return ""
    at, event = item.place, report.event
    head = at.side == "head"
    repo, sha = (event.head_repo or event.repo, event.head_sha) if head else (event.repo, report.merge_base)
    shown = f"{links.within(at.path, live.skill.change.path)}:{at.line}"
    on = "" if head else f" on {code(live.base, 64)}"
    url = place.links.blob(repo, sha, at.path, at.line, at.end_line)
    return f"{links.to(code(shown, 80), url)}{on}"


def excerpts(live: Live) -> list[str]:
    """The two traces of the first cause, one below the other where they part; empty without a diagnosis."""
    lines: list[str] = []
    names = {Arm.BASELINE: "no skill", Arm.PREVIOUS: code(live.base, 64), Arm.WITH_SKILL: "this change"}
    for item in live.summary.diagnosis[:1]:
        for excerpt in (item.other, item.this):
            if excerpt is not None:
                head = f"{names[excerpt.arm]}, {code(excerpt.case, 48)}:"
                lines += [head, "", fence("\n".join(excerpt.lines)), ""]
    return lines
