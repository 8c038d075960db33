"""The description is long.

It is loaded for every task of every user, whether the skill is needed or not. Up to about 400 characters costs
nothing here; the specification's limit is 1,024.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

FREE, LIMIT = 400, 1024


def check(skill: Skill) -> Iterator[Problem]:
    length = len(skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if entry is not None and length > FREE:
        share = min(1.0, (length - FREE) / (LIMIT - FREE))
        yield from graded(
            share,
            8,
            message=f"The description has {length} characters and is loaded for every task, needed or not.",
            line=entry.at_key.line,
        )


RULE = Rule(
    code="DI002",
    slug="description-too-wordy",
    title="description is long for what is always loaded",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="keep what decides whether to open the skill; move the rest into the body",
    check=check,
    requires=("SP001", "SP002", "SP008"),
    fires_on="expo/skills/plugins/expo/skills/expo-overview",
    silent_on="anthropics/skills/skills/skill-creator",
    examples=(
        Example(files={"SKILL.md": manifest(description="Reads the ledger, row by row. " * 30)}, lines=(3,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
