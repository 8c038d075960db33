"""The work is told as prose, without a single list.

Steps in a list can be followed and ticked off; in running text their order and number have to be worked out. A table
orders facts and not steps, and numbered headings order steps coarsely: both cost less than nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

TABLES, HEADINGS = 0.75, 0.5
"""What is left of the points where tables at least order facts, and where headings count the steps."""
_STEP = re.compile(r"(?i)(?:step|phase|stage|task)\s+\d|\d+[.):]?\s")


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    listed = sum(1 for part in parts.prose if part.kind in ("item", "step"))
    rows = sum(1 for part in parts.prose if part.kind == "cell")
    size = sum(len(part.text.split()) for part in parts.prose if part.kind == "paragraph")
    stepped = sum(1 for heading in parts.headings if _STEP.match(heading.text))
    less = HEADINGS if stepped >= 3 else TABLES if rows >= 3 else 1.0
    if listed < 3 and size > 0:
        yield from graded(
            less * (min(1.0, 0.5 + size / 800) if size > 60 else 0.4),
            16,
            message=f"The body tells its work in {size} words of running text and holds no list of steps.",
            line=skill.opening,
        )


RULE = Rule(
    code="EF011",
    slug="prose-where-steps-are-meant",
    title="work is told as prose, not as steps",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="write the steps as a numbered list",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="oaustegard/claude-skills/mapping-codebases",
    silent_on="getsentry/skills/skills/prompt-optimizer",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger to a table. " * 20 + "\n")}, lines=(5,)
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\n1. Read it all.\n2. Convert it.\n3. Check the sum.\n")}),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n| a | b |\n|--|--|\n| c | d |\n\n" + "Convert the ledger to a table. " * 60 + "\n"
                )
            },
            lines=(5,),
            why="a table holds facts, not steps",
        ),
    ),
)
