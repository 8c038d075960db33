"""The manifest has more than 500 lines.

The specification recommends fewer. Where the tokens are many as well, only those are reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    count = skill.text.rstrip("\n").count("\n") + 1
    if count > 500 and len(skill.body) // 4 <= 5_000:
        message = f"The manifest has {count} lines; the specification recommends at most 500."
        # Which line is the 501st changes with every edit above it; the problem stays the same.
        yield Problem(message=message, whole_file=True)


RULE = Rule(
    code="EF002",
    slug="more-than-500-lines",
    title="manifest has more than 500 lines",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="move sections into references/ and link them",
    check=check,
    weight=5,
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/accessibility-compliance/skills/screen-reader-testing",
    silent_on="obra/superpowers/skills/finishing-a-development-branch",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n" + "x\n" * 520)}, lines=(1,)),
        Example(files={"SKILL.md": manifest("# Sample\n" + "x\n" * 300)}),
    ),
)
