"""A section's heading stands twice.

Two sections of one name on the upper levels come from a merge or from a copy. An agent that looks one up finds the
first, and whichever of the two is right, the other misleads.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

DEPTH = 2
"""Levels of headings that are unlike one another; below them `Example` may stand in every section."""


def check(skill: Skill) -> Iterator[Problem]:
    seen: dict[tuple[int, str], int] = {}
    for heading in outline(skill.body).headings:
        key = heading.level, heading.text.strip().casefold()
        if heading.level <= DEPTH and key in seen:
            yield Problem(
                message=f'"{heading.text.strip()[:50]}" is a section already, from line {skill.at(seen[key])} on.',
                line=skill.at(heading.line),
            )
        seen.setdefault(key, heading.line)


RULE = Rule(
    code="CO039",
    slug="heading-stands-twice",
    title="a section's heading stands twice",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="make one section of the two, or name them apart",
    check=check,
    weight=5,
    cap=15,
    requires=("SP001", "SP002", "CO026"),
    fires_on="muratcankoylan/Agent-Skills-for-Context-Engineering/skills/evaluation",
    silent_on="getsentry/skills/skills/pr-writer",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\n## Use\n\nRead it.\n\n## Print\n\nIt.\n\n## Use\n\nSum it.\n")},
            lines=(15,),
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n## Read\n\n### Example\n\nRead it.\n\n## Print\n\n### Example\n\nPrint it.\n"
                )
            },
            why="below two sections",
        ),
    ),
)
