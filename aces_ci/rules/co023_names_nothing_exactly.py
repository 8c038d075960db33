"""The body names few things exactly.

Paths, options, file names, identifiers and numbers are what an agent cannot guess. Text without them ("use
the appropriate tool") leaves the agent where it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import exact
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 800


def check(skill: Skill) -> Iterator[Problem]:
    found = len(exact(skill.body))
    yield from graded(
        shortfall(found, ENOUGH),
        9.5,
        quiet=0.7,
        loud=0.85,
        message=f"The body names {plural(found, 'thing')} exactly (paths, options, identifiers, numbers).",
        line=skill.opening,
    )


RULE = Rule(
    code="CO023",
    slug="names-nothing-exactly",
    title="body names few things exactly",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the exact file, command, option or limit instead of describing it",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="openclaw/skills/skills/afajohn/adaptive-suite",
    silent_on="obra/superpowers/skills/using-git-worktrees",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nUse the appropriate tool with care.\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n" + "\n".join(f"- `tool_{i} --opt-{i}` writes out/f{i}.csv" for i in range(12))
                )
            }
        ),
    ),
)
