"""The description is longer than 1,024 characters.

Agents that keep to the limit cut it or drop the skill. Code points are counted, not bytes, and blanks at the
ends (the line break that a block scalar keeps) are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill

LIMIT = 1024


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("description")
    # As YAML has it, like the public validator: the line break that ends a folded text counts.
    length = len(entry.value) if entry and isinstance(entry.value, str) else 0
    if entry is not None and length > LIMIT:
        yield Problem(
            message=f"The description has {length} characters; the specification allows {LIMIT}.",
            hint=f"cut {length - LIMIT} characters; details belong in the body",
            line=entry.at_key.line,
            end_line=max(entry.at_key.line, entry.at_value.end_line),
        )


RULE = Rule(
    code="SP009",
    slug="description-too-long",
    title="description is longer than 1024 characters",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="cut it to 1024 characters",
    check=check,
    requires=("SP001", "SP002", "SP008"),
    fires_on="K-Dense-AI/claude-scientific-skills/scientific-skills/database-lookup",
    silent_on="obra/superpowers/skills/test-driven-development",
    examples=(
        Example(files={"SKILL.md": manifest(description="x" * 1025)}, lines=(3,)),
        Example(files={"SKILL.md": manifest(description="x" * 1024)}),
        Example(files={"SKILL.md": manifest(description="日" * 1000)}, why="characters, not bytes"),
    ),
)
