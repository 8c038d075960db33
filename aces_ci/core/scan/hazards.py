"""Every hazard in the files of a skill, weighed by where it stands and by what the text around it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.reading.outline import markup
from aces_ci.core.reading.reference import One
from aces_ci.core.rule import Problem
from aces_ci.core.scan import certainty
from aces_ci.core.scan.snippets import Site, is_markdown, snippets, text_of
from aces_ci.core.scan.stance import Stance, about_attacks, about_security, stance
from aces_ci.core.scripts import danger
from aces_ci.core.scripts.detectors import javascript_danger, python_danger
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind
from aces_ci.core.skill import Skill

_UNMISTAKABLE = frozenset({"reverse-shell", "send-secret", "decoded-code", "fetched-code", "fork-bomb"})
"""Shapes with no honest use: near a word of warning they stay a warning."""


_MAINTENANCE = frozenset({"format-disk", "overwrite-disk", "shred", "mode-root", "login-files", "drop-database"})
"""What administrators document: critical in a script, a warning in a text that someone reads first."""
_NAMED = re2.compile(r"(?:curl|wget|base64)(?:\s+-{1,2}[\w-]+)*\s*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh")
"""`curl | sh` without any address: the name of a habit, and nothing that could be run."""
ADJACENT = 2
"""Lines within which two commands of a kind are one deed."""


_OTHERWISE = {"power-off": ("command turns the machine off", "leave it to the user, who knows what else runs there")}
"""Title and fix of a shape for which those of its rule would not be true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A hazard at its place in a file of the skill, with what weighing left of its severity."""

    hazard: Hazard
    path: str
    line: int
    end_line: int
    column: int
    site: Site
    severity: Severity
    confidence: Confidence
    why: str
    """Why the severity is lower than that of the command itself; "" where it is not."""


def find(skill: Skill, *kinds: Kind) -> Iterator[Placed]:
    """The hazards of the given kinds, in the order of path and line."""
    subject, attacks = about_security(skill), about_attacks(skill)
    seen: set[tuple[str, int, str]] = set()
    for path, line, column, hazard, site in _all(One(skill)):
        if hazard.kind not in kinds or (path, line, hazard.shape) in seen:
            continue
        seen.add((path, line, hazard.shape))
        text = text_of(skill, skill.files[path]) or ""
        markdown = is_markdown(path)
        told = stance(text, line, subject=subject, markdown=markdown) if markdown else Stance.ASKS
        if site is Site.INLINE and told is not Stance.ASKS and hazard.severity is not Severity.CRITICAL:
            continue  # `never use git push --force` names it, and that is all
        severity, confidence, why = weigh(hazard, site, told)
        if (
            hazard.shape in certainty.DOWNLOADS
            and site in {Site.SCRIPT, Site.LOAD}
            and hosts.anybodys(hazard.target or "")
        ):
            severity, why = Severity.CRITICAL, "Anybody can put code on that host, and the address names no commit."
        if severity is Severity.CRITICAL:
            against = certainty.doubt(skill, hazard, path, site, text, line, security=subject or attacks)
            severity, why = (Severity.WARNING, against) if against else (severity, why)
        yield Placed(
            hazard=hazard,
            path=path,
            line=line,
            end_line=line + hazard.end_line - hazard.line,
            column=column,
            site=site,
            severity=severity,
            confidence=confidence,
            why=why,
        )


def problems(skill: Skill, *kinds: Kind, tail: str) -> Iterator[Problem]:
    """The same as problems of a rule; `tail` says why it matters, one sentence."""
    placed_all, further = _deeds(tuple(find(skill, *kinds)))
    minor = Counter((p.path, p.hazard.shape, p.severity) for p in placed_all)
    told: set[tuple[str, str, Severity]] = set()
    for at, placed in enumerate(placed_all):
        mark = (placed.path, placed.hazard.shape, placed.severity)
        if placed.severity is not Severity.CRITICAL and mark in told:
            continue
        told.add(mark)
        what = placed.hazard.message
        where = {
            Site.LOAD: "On load this",
            Site.SCRIPT: "This line",
            Site.IMAGE: "This step",
            Site.FENCE: "This block",
            Site.INLINE: "This text",
        }
        note, beside = f" {placed.why}" if placed.why else "", ""
        if others := further.get(at):  # a message holds no numbers of lines: it is part of what a finding is known by
            one = len(others) == 1
            note += f" So {'does one further line' if one else f'do {len(others)} further lines'}."
            beside = f"so {'does line' if one else 'do lines'} {', '.join(map(str, others))}"
        if placed.severity is not Severity.CRITICAL and minor[mark] > 1:
            again = "once more" if minor[mark] == 2 else f"{minor[mark] - 1} more times"
            beside = f"the same {again} in this file"
            note += f" The same {again} in this file."
        title, hint = _OTHERWISE.get(placed.hazard.shape, (None, None))
        yield Problem(
            path=placed.path,
            line=placed.line,
            end_line=placed.end_line if placed.end_line > placed.line else None,
            column=placed.column,
            title=title,
            hint=hint,
            message=f"{where[placed.site]} {what}. {tail}{note}",
            severity=placed.severity,
            confidence=placed.confidence,
            note=beside,
        )


def _deeds(placed_all: tuple[Placed, ...]) -> tuple[tuple[Placed, ...], Mapping[int, Sequence[int]]]:
    """One critical finding a deed: the lines of one block are told at its first, and the finding ends where they end.

    What is fetched from one address again counts with the first. Also the further lines, by the position of the
    finding: how many there are is said, so that one more makes it new in a change.
    """
    kept: list[Placed] = []
    further: dict[int, list[int]] = {}
    for placed in sorted(placed_all, key=lambda each: (each.path, each.line)):
        at = next((at for at, each in enumerate(kept) if _same_deed(each, placed)), None)
        if at is None:
            kept.append(placed)
            continue
        if placed.line != kept[at].line:
            further.setdefault(at, []).append(placed.line)
        if placed.line <= kept[at].end_line + ADJACENT:  # what is fetched again further down ends where it ends
            kept[at] = replace(kept[at], end_line=max(kept[at].end_line, placed.end_line))
    return tuple(kept), further


def _same_deed(first: Placed, other: Placed) -> bool:
    worst = Severity.CRITICAL is first.severity is other.severity
    one_file = first.path == other.path and first.hazard.kind is other.hazard.kind
    again = (
        first.hazard.shape in certainty.DOWNLOADS and first.hazard.target and first.hazard.target == other.hazard.target
    )
    return worst and one_file and bool(again or other.line <= first.end_line + ADJACENT)


def weigh(hazard: Hazard, site: Site, told: Stance) -> tuple[Severity, Confidence, str]:
    """Severity, confidence and reason of a hazard at its place.

    A script, or what runs on load, is what it is. A document that speaks *about* the command is not the command.
    """
    severity, confidence = hazard.severity, hazard.confidence
    if site in {Site.LOAD, Site.SCRIPT}:
        return severity, confidence, ""
    if site is Site.IMAGE and hazard.kind in {Kind.DESTRUCTIVE, Kind.PRIVILEGE, Kind.PERSISTENCE}:
        return Severity.INFO, confidence, "It happens inside an image that is being built."
    if severity is Severity.CRITICAL and hazard.shape in _MAINTENANCE and not _roots(hazard):
        severity = Severity.WARNING
    if told is Stance.TALKS:
        return Severity.INFO, Confidence.LOW, "The skill speaks about such commands, so this is a note only."
    if told is Stance.NEAR_A_CUE and severity is not Severity.INFO:
        kept = Severity.WARNING if hazard.shape in _UNMISTAKABLE else Severity.INFO
        return kept, Confidence.LOW, "Words of warning stand near it, so it may be an example of what not to do."
    if site is Site.INLINE and severity is Severity.CRITICAL:
        return severity, Confidence.MEDIUM, ""
    return severity, confidence, ""


def _roots(hazard: Hazard) -> bool:
    """Whether a login file is named by somebody's full path, which no guide to one's own machine does."""
    return (hazard.target or "").startswith(("/root/", "/home/"))


@lru_cache(maxsize=4)
def _all(one: One) -> tuple[tuple[str, int, int, Hazard, Site], ...]:
    """Every hazard before it is weighed; seven rules ask for their own kinds of the same walk.

    What a shell reads from a here-document is told at its own line, not at the line of the shell as well.
    """
    found = tuple(_walk(one.skill))
    named = {(path, hazard.shape, hazard.target) for path, _, _, hazard, _ in found if _names_target(hazard)}
    return tuple(
        entry for entry in found if _names_target(entry[3]) or (entry[0], entry[3].shape, entry[3].target) not in named
    )


def _names_target(hazard: Hazard) -> bool:
    """Whether the command itself writes the address that it ends at."""
    return (hazard.target or "").split("://")[-1] in hazard.source


def _walk(skill: Skill) -> Iterator[tuple[str, int, int, Hazard, Site]]:
    for snippet in snippets(skill):
        if snippet.site is Site.INLINE and _NAMED.fullmatch(snippet.text.strip()):
            continue
        for hazard in danger.scan(snippet.text):
            shifted = hazard.line == 1 or snippet.site is Site.FENCE  # a block's indentation is that of each line
            column = hazard.column + (snippet.column - 1 if shifted else 0)
            hazard = replace(hazard, doubt=hazard.doubt or snippet.doubt)
            yield snippet.path, snippet.line + hazard.line - 1, column, hazard, snippet.site
    for path in sorted(skill.files):
        lowered = path.lower()
        if not lowered.endswith((".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".md", ".mdx")):
            continue
        text = text_of(skill, skill.files[path])
        if text is None:
            continue
        if lowered.endswith(".py"):
            yield from ((path, h.line, h.column, h, Site.SCRIPT) for h in python_danger.scan(text))
        elif not is_markdown(path):
            yield from ((path, h.line, h.column, h, Site.SCRIPT) for h in javascript_danger.scan(text))
        else:
            for code in markup(text).codes:
                scanner = _FENCES.get(code.language)
                if scanner is not None:
                    yield from ((path, code.line + h.line, h.column, h, Site.FENCE) for h in scanner(code.content))


_FENCES = {
    **dict.fromkeys(("python", "py", "python3"), python_danger.scan),
    **dict.fromkeys(("javascript", "js", "typescript", "ts", "tsx", "jsx"), javascript_danger.scan),
}
