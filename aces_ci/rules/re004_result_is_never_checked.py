"""The body never has the result checked.

An agent that is told how to see that it worked stops at the right moment; one that is not reports success.
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

_CHECK = vocabulary(
    """verify verifies verified verification prove proves recount validate validates validated validation
    check checks checked checking checklist confirm confirms confirmed test tests tested testing assert
    asserts inspect review reviews compare ensure ensures expected success successful successfully
    preview lint"""
) | {"make sure", "should see", "should print", "should show", "should return", "dry run"}


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    found = parts.speaking_of(_CHECK)
    found += sum(1 for code in parts.codes if not _CHECK.isdisjoint(code.vocabulary))
    yield from graded(
        shortfall(found, 60),
        6.5,
        message="The body never says how to see that the work succeeded."
        if not found
        else "The body says little on how to see that the work succeeded.",
        line=skill.opening,
    )


RULE = Rule(
    code="RE004",
    slug="result-is-never-checked",
    title="result is hardly ever checked",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add a last step that checks the result, with the command and what it should print",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/internal-comms",
    silent_on="getsentry/skills/skills/triage-frontend-issues",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n1. Check the header.\n2. Convert.\n3. Verify the sum.\n4. Compare with the ledger.\n"
                    "5. Review the table.\n6. Confirm with the user.\n"
                )
            }
        ),
    ),
)
