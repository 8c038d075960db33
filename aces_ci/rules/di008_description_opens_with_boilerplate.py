"""The description begins with words that every skill could begin with.

Lists of skills are cut after some fifty characters; "This skill provides" spends them on nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_OPENING = re.compile(
    r"(?i)^(?:this skill|a skill (?:that|for|to)|the [\w -]{1,40} skill|this is (?:a|the)|skill (?:for|that|to)|"
    r"(?:comprehensive|complete|ultimate|expert|powerful) (?:guide|toolkit|skill|collection|solution))\b"
)


def check(skill: Skill) -> Iterator[Problem]:
    match = _OPENING.match(skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if match and entry is not None:
        yield Problem(
            message=f'The description opens with "{match[0]}", which any skill could say.', line=entry.at_key.line
        )


RULE = Rule(
    code="DI008",
    slug="description-opens-with-boilerplate",
    title="description opens with words any skill could use",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint='begin with the verb: "Converts ledger exports …"',
    check=check,
    weight=4,
    requires=("SP001", "SP002", "SP008"),
    fires_on="sickn33/antigravity-awesome-skills/skills/competitive-landscape",
    silent_on="anthropics/skills/skills/skill-creator",
    examples=(
        Example(files={"SKILL.md": manifest(description="This skill provides exports. Use when asked.")}, lines=(3,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
