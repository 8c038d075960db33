"""The description does not say when the skill is *not* meant.

A boundary is what keeps two neighbouring skills apart. It matters most for wide subjects; a narrow description
loses little by not having one, so this is only a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_BOUNDARY = re.compile(
    r"(?i)\b(not for|do not use|don't use|not use|never use|skip (?:for|when|if)|except|unless|only (?:for|when|if)|"
    r"rather than|instead of|does not|do not trigger|not (?:when|if|needed)|excludes?|without)\b|仅|不"
)


def check(skill: Skill) -> Iterator[Problem]:
    text = skill.description or ""
    entry = (skill.frontmatter or {}).get("description")
    if entry is not None and not _BOUNDARY.search(text):
        yield Problem(
            message="The description never says when not to use the skill, so it competes with its neighbours.",
            line=entry.at_key.line,
            quiet=len(text) < 160,
        )


RULE = Rule(
    code="DI005",
    slug="description-draws-no-line",
    title="description draws no line to its neighbours",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint='add "Not for …" with the nearest task that it does not serve',
    check=check,
    weight=4,
    requires=("SP001", "SP002", "SP008"),
    fires_on="anthropics/skills/skills/frontend-design",
    silent_on="addyosmani/agent-skills/skills/debugging-and-error-recovery",
    examples=(
        Example(
            files={
                "SKILL.md": manifest(
                    description="Converts ledger exports to CSV. Use when asked. " + "Reads XML. " * 15
                )
            },
            lines=(3,),
        ),
        Example(files={"SKILL.md": manifest(description="Converts ledgers to CSV. Not for invoices. " * 4)}),
    ),
)
