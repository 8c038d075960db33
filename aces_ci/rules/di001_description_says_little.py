"""The description names few things that a request could match.

An agent picks a skill by the overlap between a request and this text. The points taken shrink with the number
of distinct content words (function words and filler do not count), on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import stems
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 60


def check(skill: Skill) -> Iterator[Problem]:
    found = stems(skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if entry is not None:
        yield from graded(
            shortfall(len(found), ENOUGH),
            20,
            message=f"The description holds {plural(len(found), 'word')} that a request could match; "
            "agents choose by them.",
            line=entry.at_key.line,
            quiet=0.45,
            loud=0.6,
        )


RULE = Rule(
    code="DI001",
    slug="description-says-little",
    title="description names too little",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="name the inputs, the outputs and the words a user would type",
    check=check,
    requires=("SP001", "SP002", "SP008"),
    fires_on="openclaw/skills/skills/hhhh124hhhh/r-promptengineering-on-reddit-after-1000-hours-of--94ff76c5",
    silent_on="addyosmani/agent-skills/skills/code-review-and-quality",
    examples=(
        Example(files={"SKILL.md": manifest(description="Helps with files.")}, lines=(3,)),
        Example(
            files={
                "SKILL.md": manifest(
                    description="Converts ledger exports from Acme Books to CSV tables, one row a posting, with "
                    "totals by account and month. Use when the user asks for a ledger, a journal or postings."
                )
            }
        ),
    ),
)
