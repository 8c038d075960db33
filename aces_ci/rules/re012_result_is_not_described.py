"""The body does not describe the result.

What file, what form, what message: an agent that knows the shape of the result can tell when it is done, and two
runs give the same thing.
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

_RESULT = vocabulary(
    """output outputs return returns result results produce produces generate generates save saves saved
    write writes create creates format template report response print prints display displays
    deliverable deliverables summary example"""
)
_SHOWN = frozenset({"json", "yaml", "md", "markdown", "csv", "text", "txt", "html", "xml", ""})


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    found = parts.speaking_of(_RESULT)
    found += sum(1 for code in parts.codes if code.language in _SHOWN)
    yield from graded(
        shortfall(found, 50),
        6,
        message="The body never describes what comes out." if not found else "The body says little of what comes out.",
        title="result is hardly described" if found else None,
        line=skill.opening,
    )


RULE = Rule(
    code="RE012",
    slug="result-is-not-described",
    title="result is not described",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="show the result: file name, form, and one short example",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/blockchain-web3/skills/web3-testing",
    silent_on="anthropics/skills/skills/webapp-testing",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\nThe output is a table.\n\nIt is saved as out.csv.\n\nThe report prints totals.\n\n"
                    "The format is one row a posting.\n\n```csv\na,b\n```\n"
                )
            }
        ),
    ),
)
