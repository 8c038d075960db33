"""Findings for a terminal: `text` in full, `concise` one line each; 80 columns, colour never needed.

What comes from a skill has its hidden and control characters named before anything is painted: only our own colours are
orders to a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aces_ci.core.columns import WIDTH, folded
from aces_ci.core.finding import Finding, Severity, since
from aces_ci.core.inert import named
from aces_ci.core.reading.checkup import Checked, Checkup, count

_COLOURS = {Severity.CRITICAL: "31", Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}
_WORDS = {Severity.CRITICAL: "critical", Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

Paint = Callable[[str, str], str]
"""(text, SGR code) to text."""


def plain(text: str, code: str) -> str:
    """No colour."""
    del code
    return text


def colour(text: str, code: str) -> str:
    """ANSI colour."""
    return f"\033[{code}m{text}\033[0m"


def concise(checkup: Checkup, *, notes: bool, shown: Callable[[str], str], paint: Paint) -> Iterator[str]:
    """`path:line:column: severity CODE title`, one line a finding."""
    for finding in checkup.findings:
        if notes or finding.severity is not Severity.INFO:
            yield _head(finding, shown, paint)
    yield from reasons(checkup)


def text(checkup: Checkup, *, notes: bool, summed: bool, shown: Callable[[str], str], paint: Paint) -> Iterator[str]:
    """Findings with source and fix; where `summed` and there are skills, their table and a line that sums up."""
    for checked in checkup.skills:
        for finding in checked.findings:
            if notes or finding.severity is not Severity.INFO:
                yield _head(finding, shown, paint)
                yield from _excerpt(finding, checked)
                yield from (paint(row, "2") for row in folded(_clean(finding.hint), "  fix: "))
    failing = list(reasons(checkup))
    if summed and checkup.skills:
        if any(notes or finding.severity is not Severity.INFO for finding in checkup.findings):
            yield ""
        yield from _table(checkup)
        yield ""
        yield from failing
        yield from folded(summary(checkup, notes=notes))
    else:
        yield from failing


def reasons(checkup: Checkup) -> Iterator[str]:
    """`log-triage: fails: score 48 is below 70`, one line a skill that the profile's own gate holds up."""
    for checked in checkup.skills:
        if checked.blocked:
            yield f"{_clean(checked.structure.name or checked.structure.skill)}: fails: {_clean(checked.blocked)}"


def summary(checkup: Checkup, *, notes: bool) -> str:
    """`1 error, 3 warnings in 2 skills (0.09 s). Text only: agents were not tested.`"""
    found = checkup.findings
    numbers = [
        (count(found, Severity.CRITICAL), "critical finding"),
        (count(found, Severity.ERROR), "error"),
        (count(found, Severity.WARNING), "warning"),
    ]
    said = [_plural(number, word) for number, word in numbers if number]
    skills = _plural(len(checkup.skills), "skill")
    line = f"{', '.join(said) or 'nothing to fix'} in {skills} ({checkup.seconds:.2f} s)."
    info = count(found, Severity.INFO)
    if info:
        line += f" {_plural(info, 'note')}{'' if notes else ', shown with -v'}."
    if checkup.known:
        line += f" {checkup.known} known from the baseline."
    return f"{line} Text only: agents were not tested."


def _clean(text: str) -> str:
    """One line without tabs, each character that is not seen as `<U+XXXX>`."""
    # Common emoji end in the mark that asks for colour; without it they are the same to a reader.
    return named(text.replace("\t", " ").replace("\n", " ").replace("\ufe0f", ""))


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _head(finding: Finding, shown: Callable[[str], str], paint: Paint) -> str:
    place = paint(f"{_clean(shown(finding.path))}:{finding.line}:{finding.column or 1}", "1")
    word = paint(_WORDS[finding.severity], _COLOURS[finding.severity])
    told = f" ({since(finding)})" if finding.new is not None else ""
    return f"{place}: {word} {finding.code} {_clean(finding.title)}{told}"


def _excerpt(finding: Finding, checked: Checked) -> Iterator[str]:
    """The source line where a column is known, and a mark under it where there is a note."""
    line = checked.source.get((finding.path, finding.line))
    if line is None or finding.column is None or finding.whole_file:
        if finding.note:
            yield f"  {_clean(finding.note)}"
        return
    start = max(0, finding.column - 1)
    end = start + max(1, (finding.end_column or finding.column + 1) - finding.column)
    # Named characters are wider than what they stand for, and the mark moves with them.
    before, marked, after = (_clean(part) for part in (line[:start], line[start:end], line[end:]))
    line, start, length = before + marked + after, len(before), max(1, len(marked))
    number = str(finding.line)
    gutter = f"  {' ' * len(number)} | "
    cut, room = 0, WIDTH - len(gutter) - 1
    if len(line) > room:
        cut = max(0, min(start - 20, len(line) - room))
        line = ("…" if cut else "") + line[cut + bool(cut) : cut + room] + ("…" if cut + room < len(line) else "")
    yield f"  {number} | {line}"
    if finding.note:
        mark = f"{gutter}{' ' * (start - cut)}{'^' * max(1, min(length, len(line) - (start - cut)))}"
        note = _clean(finding.note)
        if len(mark) + len(note) < WIDTH:
            yield f"{mark} {note}"
        else:
            yield mark
            yield from folded(note, gutter, gutter)


def _table(checkup: Checkup) -> Iterator[str]:
    names = [_clean(checked.structure.name or checked.structure.skill)[:38] for checked in checkup.skills]
    width = max(16, max((len(name) for name in names), default=0) + 2)
    yield f"{'skill':<{width}}{'spec':<10}{'quality':>7}   weakest"
    for name, checked in zip(names, checkup.skills, strict=True):
        errors = count(checked.findings, Severity.ERROR)
        spec = _plural(errors, "error") if errors else "ok"
        score = checked.structure.score
        dimensions = checked.structure.dimensions
        weakest = min(dimensions.items(), key=lambda entry: entry[1]) if dimensions else None
        last = f"{weakest[0]} {weakest[1]}" if weakest else ""
        yield f"{name:<{width}}{spec:<10}{'-' if score is None else score:>7}   {last}".rstrip()
