"""A heading has nothing below it.

A section of no words, or of one or two, is a promise to the agent that is not kept. Headings that only group
subsections are fine as long as those hold something.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    said = [(part.line, len(part.text) // 3) for part in parts.told]
    said += [(code.line, len(code.content)) for code in parts.codes]
    said += [(line, 100) for line in parts.html]
    said.sort()
    at = 0
    for number, heading in enumerate(parts.headings):
        following = parts.headings[number + 1] if number + 1 < len(parts.headings) else None
        end = following.line if following else len(parts.lines) + 1
        while at < len(said) and said[at][0] <= heading.line:
            at += 1
        amount = 0
        while at < len(said) and said[at][0] < end:
            amount += said[at][1]
            at += 1
        groups = following is not None and following.level > heading.level
        if amount <= 2 and not groups and len(parts.headings) > 1:
            yield Problem(
                message=f'The section "{heading.text[:50]}" holds {"next to nothing" if amount else "nothing"}.',
                line=skill.at(heading.line),
            )


RULE = Rule(
    code="CO025",
    slug="section-without-content",
    title="a section holds nothing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the section or delete its heading",
    check=check,
    explained_by=("CO019",),
    weight=4,
    cap=24,
    requires=("SP001", "SP002"),
    fires_on="sickn33/antigravity-awesome-skills/skills/ai-agents-architect",
    silent_on="obra/superpowers/skills/verification-before-completion",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\n## Setup\n\n## Use\n\na\n\n## Run\n\nRun the exporter twice.\n")},
            lines=(7, 9),
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\n## Group\n\n### Run\n\nRun the exporter twice.\n")}),
    ),
)
