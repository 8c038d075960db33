"""The manifest is called `skill.md`.

Many agents accept it, the specification names `SKILL.md`, and on Linux the two are different files.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    if skill.manifest == "skill.md":
        yield Problem(
            message="The file is called skill.md; the specification says SKILL.md, and some agents insist.",
            whole_file=True,
        )


RULE = Rule(
    code="CO007",
    slug="manifest-in-lower-case",
    title="manifest is called skill.md",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="rename it to SKILL.md",
    check=check,
    weight=6,
    fires_on="openclaw/skills/skills/crufro/moltspace",
    silent_on="obra/superpowers/skills/writing-plans",
    examples=(
        Example(files={"skill.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
