"""Placeholder text was left in.

`TODO`, `lorem ipsum` and "your text here" are read by an agent as instructions or as content. Text in code is
not looked at: templates are what code blocks are for.
"""

from __future__ import annotations

import re
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


def check(skill: Skill) -> Iterator[Problem]:
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
        Example(files={"SKILL.md": manifest("# Sample\n\nMarks each `TODO:` in the code.\n\n```\n[your name]\n```\n")}),
    ),
)
