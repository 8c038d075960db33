"""The body has no heading at all.

Headings are how an agent finds its place in a text that it has read once, and how a reader finds a step.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    if skill.body.strip() and not outline(skill.body).headings:
        yield Problem(
            message="The body has no heading, so nothing in it can be found or referred to.",
            line=skill.opening,
            once=True,
        )


RULE = Rule(
    code="DI011",
    slug="no-title",
    title="body has no heading",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="add a title and a heading for each stage of the work",
    check=check,
    weight=6,
    requires=("SP001", "SP002"),
    fires_on="openclaw/skills/skills/mpaicoding-byte/coding-agent-user-rules",
    silent_on="anthropics/skills/skills/webapp-testing",
    examples=(
        Example(files={"SKILL.md": manifest("Just text.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Ledger\n\nText.\n")}),
    ),
)
