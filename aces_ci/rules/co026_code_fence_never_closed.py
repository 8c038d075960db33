"""A code fence is never closed.

Everything after it is code to a Markdown reader: the instructions behind it are no longer instructions.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for code in outline(skill.body).codes:
        if not code.closed:
            yield Problem(
                message="The code fence opened here is never closed, so all that follows is code.",
                line=skill.at(code.line),
            )


RULE = Rule(
    code="CO026",
    slug="code-fence-never-closed",
    title="a code fence is never closed",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="close it with the same number of backticks on a line of its own",
    check=check,
    weight=8,
    cap=8,
    requires=("SP001", "SP002"),
    fires_on="NVIDIA/skills/skills/mcore-create-issue",
    silent_on="obra/superpowers/skills/verification-before-completion",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```sh\nledger export\n\nThen read it.\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n```sh\nledger export\n```\n")}),
    ),
)
