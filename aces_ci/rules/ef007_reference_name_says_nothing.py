"""A reference is called `doc1.md` or `misc.md`.

The file name is what an agent sees before it decides to load it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_VAGUE = re.compile(
    r"(?i)^(?:docs?|file|data|info|misc|temp|tmp|notes?|other|stuff|new|ref|text|page|untitled)?[-_]?\d*\.md$"
)


def check(skill: Skill) -> Iterator[Problem]:
    for path in sorted(skill.files):
        if path.startswith("references/") and _VAGUE.match(path.rsplit("/", 1)[-1]):
            yield Problem(path=path, whole_file=True, message=f"{path} does not say what is in it.")


RULE = Rule(
    code="EF007",
    slug="reference-name-says-nothing",
    title="reference's name says nothing",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="name it after its content, for example `postal-rates.md`",
    check=check,
    weight=3,
    cap=6,
    fires_on="JimLiu/baoyu-skills/skills/baoyu-cover-image",
    silent_on="getsentry/skills/skills/presentation-creator",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "references/doc1.md": "# Rates\n"}, lines=(1,), path="references/doc1.md"
        ),
        Example(files={"SKILL.md": manifest(), "references/postal-rates.md": "# Rates\n"}),
    ),
)
