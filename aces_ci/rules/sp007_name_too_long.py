"""The name is longer than 64 characters.

Characters are counted as code points, not bytes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    name = unicodedata.normalize("NFKC", skill.name or "")
    if len(name) > 64 and skill.frontmatter is not None:
        place = skill.frontmatter["name"].at_value
        yield Problem(
            message=f"The name has {len(name)} characters; the specification allows 64.",
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
        )


RULE = Rule(
    code="SP007",
    slug="name-too-long",
    title="name is longer than 64 characters",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="shorten name and directory to 64 characters",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/alex-tradequo/moltflow-whatsapp at 1e90d60",
    silent_on="openclaw/skills/skills/hhhh124hhhh/10-of-my-most-popular-text-to-image-series-prompts-78b0897e",
    requires=("SP001", "SP002", "SP005"),
    examples=(
        Example(files={"SKILL.md": manifest(name="a" * 65)}, directory="a" * 65, lines=(2,)),
        Example(files={"SKILL.md": manifest(name="a" * 64)}, directory="a" * 64),
    ),
)
