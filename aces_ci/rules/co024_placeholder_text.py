"""Placeholder text was left in.

`TODO`, `lorem ipsum` and "your text here" are read by an agent as instructions or as content. Code is what templates
are for, so there only the extreme counts: a block of placeholders alone, or one placeholder that stands in half of
all code spans. Such a command was never filled in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_PLACEHOLDER = re.compile(
    r"(?<![\w`/])(?:TODO|TBD|FIXME|XXX)(?::|\b(?=\s*$))|(?i:lorem ipsum|your text here|coming soon|content goes here|"
    r"\[(?:insert|your|add|describe|replace|fill)\b[^\]]*\](?!\()|<(?:insert|add|describe) [^>]{3,60}>)"
)
_MARKS = vocabulary("todo tbd fixme xxx lorem insert your add describe replace fill coming content")
_BARE = re.compile(r"<[a-z][a-z0-9 _-]*>|[.\u2026]{3,}|TODO|TBD|FIXME")
_UNTITLED = re.compile(
    r"(?i)(?:\[.*\]|\{.*\}|<.*>|(?:your |my |the )?(?:skill|template)(?:'s)? (?:name|title)|untitled)"
)
_SPAN = re.compile(r"<[a-z][a-z0-9 _-]*>")
HOLLOW = 9.0
"""Points for commands that were never filled in: more than a path that leads nowhere costs."""
OFTEN, SHARE = 4, 0.5


def check(skill: Skill) -> Iterator[Problem]:
    for heading in outline(skill.body).headings[:1]:
        if _UNTITLED.fullmatch(heading.text.strip()):
            yield Problem(message=f"The title was never filled in: {heading.text[:40]!r}.", line=skill.at(heading.line))
            return
    for part in outline(skill.body).prose:
        if _MARKS.isdisjoint(part.vocabulary):
            continue
        for offset, line in enumerate(part.text.split("\n")):
            match = _PLACEHOLDER.search(re.sub(r"`[^`]*`|\"[^\"]*\"", " ", line))
            if match:
                yield Problem(
                    message=f"Placeholder text was left in: {match[0][:40]!r}.", line=skill.at(part.line + offset)
                )
                return
    yield from _hollow(skill)


def _hollow(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    for code in parts.codes:
        rows = [row.strip() for row in code.content.split("\n") if row.strip()]
        if code.fenced and rows and all(_BARE.fullmatch(row) for row in rows):
            yield Problem(
                message=f"This code block holds placeholders alone: {rows[0][:40]!r}.",
                line=skill.at(code.line),
                deduction=HOLLOW,
            )
            return
    spans = Counter(text for text, _ in parts.spans)
    text, times = max(spans.items(), key=lambda entry: entry[1], default=("", 0))
    if times >= OFTEN and times >= SHARE * spans.total() and _SPAN.fullmatch(text):
        yield Problem(
            message=f"{text!r} stands {times} times where a command or a path is meant.",
            line=skill.at(next(line for span, line in parts.spans if span == text)),
            deduction=HOLLOW,
        )


RULE = Rule(
    code="CO024",
    slug="placeholder-text",
    title="placeholder text was left in",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="write it or delete it",
    check=check,
    weight=6,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002"),
    fires_on="microsoft/waza/skills/waza",
    silent_on="getsentry/skills/skills/pr-link-issue",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nTODO: describe the export.\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Skill name\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nRun it:\n\n```sh\n<command>\n\n<command>\n```\n")}, lines=(9,)
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n" + "\nRun `<command>` and read `<command>`.\n" * 2)}, lines=(7,)
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n" + "\nRun `git switch <branch>`; `<branch>` is yours.\n" * 4)},
            why="a placeholder inside a command, and named beside it",
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\nMarks each `TODO:` in the code.\n\n```\n[your name]\n```\n")}),
    ),
)
