"""A code block is longer than 80 lines.

It is loaded each time and read by nobody but the machine that runs it. As a script or an asset it costs one line,
and can be tested.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for code in outline(skill.body).codes:
        size = code.content.count("\n")
        if size > 80 and code.closed:
            yield Problem(message=f"This code block has {size} lines, loaded at each use.", line=skill.at(code.line))


RULE = Rule(
    code="EF008",
    slug="long-block-in-body",
    title="a code block is longer than 80 lines",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="move it to scripts/ or assets/ and show how to use it",
    check=check,
    weight=5,
    cap=10,
    requires=("SP001", "SP002"),
    fires_on="sickn33/antigravity-awesome-skills/skills/database-migrations-migration-observability",
    silent_on="getsentry/skills/skills/pr-writer",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```py\n" + "x = 1\n" * 90 + "```\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n```py\n" + "x = 1\n" * 20 + "```\n")}),
    ),
)
