"""Opening the skill costs a call and brings next to nothing.

An agent that opens a skill spends a turn on it. Below some 250 words the description could have said it all, and
the fewer there are the worse the bargain.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

LOUD = 0.75


def check(skill: Skill) -> Iterator[Problem]:
    size = outline(skill.body).size
    share = max(0.0, 1 - size / 250)
    yield from graded(
        share,
        26,
        quiet=0.45,
        loud=LOUD,
        message=f"Opening the skill costs an agent a turn and brings {size} words.",
        title="skill opens onto little" if share < LOUD else None,
        line=skill.opening,
    )


RULE = Rule(
    code="EF009",
    slug="opens-onto-nothing",
    title="skill opens onto next to nothing",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write what the description cannot hold, or drop the skill",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="vercel-labs/agent-skills/skills/web-design-guidelines",
    silent_on="obra/superpowers/skills/test-driven-development",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger to a table. " * 40 + "\n")}),
    ),
)
