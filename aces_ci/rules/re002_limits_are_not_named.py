"""The body names no limits.

What the skill does not cover, must not touch or cannot do is what stops an agent from stretching it. "Never",
"do not", "only", "at most", "not supported" and their like are counted where they say something about the work.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_LIMIT = vocabulary(
    """never don't avoid limitation limitations limit limits unsupported maximum max cannot can't won't
    except unless without forbidden prohibited"""
) | {
    "do not",
    "must not",
    "should not",
    "limited to",
    "not supported",
    "at most",
    "only if",
    "only when",
    "only for",
    "only use",
    "not for",
    "out of",
    "not intended",
    "no more",
}


def check(skill: Skill) -> Iterator[Problem]:
    found = outline(skill.body).speaking_of(_LIMIT)
    yield from graded(
        shortfall(found, 60),
        7,
        message="The body says nothing of what the skill must not do or cannot do."
        if not found
        else "The body says little of what the skill must not do or cannot do.",
        title="limits are hardly named" if found else None,
        line=skill.opening,
    )


RULE = Rule(
    code="RE002",
    slug="limits-are-not-named",
    title="limits are not named",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add what it must never do, what it does not cover, and the largest input it is meant for",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="getsentry/skills/skills/gh-review-requests",
    silent_on="addyosmani/agent-skills/skills/api-and-interface-design",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n- Never change the ledger.\n- Do not export closed years.\n- At most 10,000 rows.\n"
                    "- Avoid XML.\n- It cannot read scans.\n"
                )
            }
        ),
    ),
)
