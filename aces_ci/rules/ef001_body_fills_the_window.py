"""The body is longer than an agent should have to load.

The whole manifest is loaded when the skill is opened. The specification recommends less than 5,000 tokens (about
four characters each); what is needed only sometimes belongs into references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

FREE, FULL = 5_000, 20_000
_WIDE = re.compile(r"[\u2e80-\U0010ffff]")


def check(skill: Skill) -> Iterator[Problem]:
    wide = 0 if skill.body.isascii() else len(_WIDE.findall(skill.body))
    tokens = (len(skill.body) - wide) // 4 + wide
    if tokens > FREE:
        yield from graded(
            0.3 + 0.7 * min(1.0, (tokens - FREE) / (FULL - FREE)),
            20,
            message=f"The body is about {tokens} tokens long and is loaded whole; 5000 are recommended.",
            line=skill.opening,
        )


RULE = Rule(
    code="EF001",
    slug="body-fills-the-window",
    title="body is longer than 5000 tokens",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="move what is needed only sometimes into references/",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/claude-api",
    silent_on="getsentry/skills/skills/presentation-creator",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger to a table.\n" * 1600)}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger to a table.\n" * 100)}),
    ),
)
