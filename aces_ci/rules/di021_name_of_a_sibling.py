"""Two skills side by side carry the same name.

Agents index by name, so one of the two hides the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("name")
    twin = next((sibling for sibling in skill.siblings if sibling.name == skill.name), None)
    if entry is not None and twin is not None:
        yield Problem(
            message=f"{twin.path} is called {skill.name} as well; one hides the other.", line=entry.at_key.line
        )


RULE = Rule(
    code="DI021",
    slug="name-of-a-sibling",
    title="a neighbour has the same name",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="give one of them another name and folder",
    check=check,
    fires_on="NVIDIA/skills/skills/nvidia-skill-finder",
    silent_on="anthropics/skills/skills/algorithmic-art",
    weight=10,
    requires=("SP001", "SP002", "SP005"),
    examples=(
        Example(files={"SKILL.md": manifest()}, siblings={"sample": "Quotes parcels."}, lines=(2,)),
        Example(files={"SKILL.md": manifest()}, siblings={"samples": "Quotes parcels."}),
    ),
)
