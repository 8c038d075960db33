"""A second block of frontmatter follows the first.

Agents read the first one only. Usually two tools each added theirs, and the better description is the unread one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    lines = skill.body.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is None or lines[first].rstrip() != "---":
        return
    rest = lines[first + 1 :]
    end = next((at for at, line in enumerate(rest) if line.rstrip() == "---"), None)
    if end and re.match(r"[A-Za-z_][\w-]*:", rest[0]):
        yield Problem(
            message="A second frontmatter block follows; agents read only the first.", line=skill.at(first + 1)
        )


RULE = Rule(
    code="CO006",
    slug="second-frontmatter-block",
    title="a second frontmatter block follows the first",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="merge the two blocks into one",
    check=check,
    fires_beyond="openclaw/skills/skills/bvinci1-design/flow at 3a5f649",
    silent_on="anthropics/skills/skills/algorithmic-art",
    weight=8,
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest("---\nname: other\n---\n# Title\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("---\n\n# Title\n\n---\n")}, why="two rules, no fields"),
    ),
)
