"""The description uses words that match everything.

`things`, `stuff`, `various` and their like raise the chance that the skill is opened for tasks it does not
serve, and tell an agent nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_VAGUE = re.compile(
    r"(?i)\b(things?|stuff|various|miscellaneous|all kinds of|any kind of|and more|and so on|etc\.?|anything|"
    r"everything|general[- ]purpose|all sorts of)(?!\w)"
)


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("description")
    found = sorted({match[1].lower() for match in _VAGUE.finditer(skill.description or "")})
    if found and entry is not None:
        names = ", ".join(f'"{word}"' for word in found[:3])
        yield Problem(
            message=f"The description says {names}, which matches every request and none in particular.",
            line=entry.at_key.line,
            deduction=min(12.0, 4.0 + 4.0 * len(found)),
        )


RULE = Rule(
    code="DI003",
    slug="vague-word-in-description",
    title="description uses words that match everything",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="name the things themselves",
    check=check,
    requires=("SP001", "SP002", "SP008"),
    fires_on="expo/skills/plugins/expo/skills/eas-observe",
    silent_on="obra/superpowers/skills/dispatching-parallel-agents",
    examples=(
        Example(
            files={"SKILL.md": manifest(description="Does various things with files. Use when asked.")}, lines=(3,)
        ),
        Example(files={"SKILL.md": manifest()}),
    ),
)
