"""The manifest begins with a byte order mark.

It is legal UTF-8, but readers that look for `---` at the first byte then see no frontmatter, and say only that
the name is missing. `check --fix` removes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Edit, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for problem in skill.problems:
        if problem.kind == "bom":
            edit = Edit(path=skill.manifest, start=0, end=3, text="")
            yield Problem(message=problem.message, hint=problem.hint, edits=(edit,))


RULE = Rule(
    code="CO001",
    slug="byte-order-mark",
    title="file begins with a byte order mark",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="save the file as UTF-8 without a byte order mark",
    check=check,
    fires_beyond="openclaw/skills/skills/aslaep123/polymarket-traiding-bot at 3a5f649",
    silent_on="openclaw/skills/skills/guows520/permanent-note-generator",
    weight=6,
    examples=(
        Example(files={"SKILL.md": "\ufeff" + manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
