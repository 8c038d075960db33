"""The body has no branch: nothing depends on what the agent finds.

Real inputs differ. "If the ledger has several books, ask which" is worth more than another paragraph on the
ordinary case. Counted are conditions, in any of the usual forms.
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

_BRANCH = vocabulary(
    """if otherwise else when unless depending whether except alternatively instead before after until
    whenever"""
) | {"in case"}


def check(skill: Skill) -> Iterator[Problem]:
    found = sum(
        1 for part in outline(skill.body).told if len(part.text) > 15 and not _BRANCH.isdisjoint(part.vocabulary)
    )
    yield from graded(
        shortfall(found, 100),
        6.5,
        message="Nothing in the body depends on what the agent finds."
        if not found
        else "Little in the body depends on what the agent finds.",
        title="body hardly tells cases apart" if found else None,
        line=skill.opening,
        quiet=0.7,
    )


RULE = Rule(
    code="RE011",
    slug="no-branch-for-cases",
    title="body does not tell cases apart",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint='add "if … then …" for the inputs that differ from the ordinary one',
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/accessibility-compliance/skills/screen-reader-testing",
    silent_on="getsentry/skills/skills/document-api-endpoint",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger to a table.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "- If the ledger is old, convert it first.\n" * 8)}),
    ),
)
