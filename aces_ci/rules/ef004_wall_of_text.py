"""A paragraph is longer than 120 words.

Agents lose conditions in the middle of long paragraphs. Lists keep them apart and cost the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for part in outline(skill.body).prose:
        size = len(part.text.split())
        if part.kind in ("paragraph", "item", "step") and size > 120:
            yield Problem(
                message=f"This paragraph has {size} words; conditions in its middle get lost.", line=skill.at(part.line)
            )


RULE = Rule(
    code="EF004",
    slug="wall-of-text",
    title="a paragraph is longer than 120 words",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="break it into steps or a list",
    check=check,
    weight=4,
    cap=12,
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/claude-api",
    silent_on="obra/superpowers/skills/requesting-code-review",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger and " * 40 + "stop.\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger and stop.\n")}),
    ),
)
