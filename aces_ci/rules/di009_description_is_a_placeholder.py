"""The description is still the one of a template."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_TEMPLATE = re.compile(
    r"(?i)\b(todo|tbd|fixme|lorem ipsum|replace (?:this|with)|description (?:of|here|goes)|your description|"
    r"insert (?:a )?description|what the skill does|placeholder)\b|^\[.*\]$|^<.*>$"
)


def check(skill: Skill) -> Iterator[Problem]:
    match = _TEMPLATE.search(skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if match and entry is not None:
        yield Problem(
            message=f'The description still reads like a template ("{match[0][:40]}").', line=entry.at_key.line
        )


RULE = Rule(
    code="DI009",
    slug="description-is-a-placeholder",
    title="description is a placeholder",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="say what the skill does and when to use it",
    check=check,
    weight=18,
    requires=("SP001", "SP002", "SP008"),
    confidence=Confidence.MEDIUM,
    fires_on="anthropics/skills/template",
    silent_on="obra/superpowers/skills/executing-plans",
    examples=(
        Example(files={"SKILL.md": manifest(description="TODO describe it")}, lines=(3,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
