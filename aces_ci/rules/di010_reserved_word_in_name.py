"""The name carries a vendor's reserved word.

Anthropic's own upload refuses names with `anthropic` or `claude`; other agents do not mind. The specification
says nothing about it, so this costs nothing here and is only a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("name")
    parts = re.split(r"[-_\s]+", (skill.name or "").lower())
    found = next((word for word in ("anthropic", "claude") if word in parts), None)
    if found and entry is not None:
        yield Problem(
            message=f"The name contains `{found}`, which Claude's skill upload refuses.", line=entry.at_value.line
        )


RULE = Rule(
    code="DI010",
    slug="reserved-word-in-name",
    title="name contains a reserved word",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="leave the vendor's name out if you want to upload it there",
    check=check,
    requires=("SP001", "SP002", "SP005"),
    fires_on="sickn33/antigravity-awesome-skills/skills/claude-code-guide",
    silent_on="getsentry/skills/skills/iterate-pr",
    examples=(
        Example(files={"SKILL.md": manifest(name="claude-ledger")}, directory="claude-ledger", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="claudette-ledger")}, directory="claudette-ledger"),
    ),
)
