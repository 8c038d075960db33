"""No tools are declared (profile `strict`).

The strict contract wants `allowed-tools`, so that a reviewer sees what the skill may do before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Profile, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    fields = skill.frontmatter or {}
    if "allowed-tools" not in fields and "tools" not in fields:
        yield Problem(message="The frontmatter declares no tools; the strict contract wants `allowed-tools`.")


RULE = Rule(
    code="CO013",
    slug="tools-missing",
    title="allowed-tools is missing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add `allowed-tools: Read Bash(git:*)` with what the skill needs",
    check=check,
    fires_on="anthropics/skills/skills/brand-guidelines",
    silent_on="NVIDIA/skills/skills/dicom-metadata-extract",
    weight=5,
    profiles=frozenset({Profile.STRICT}),
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest(extra="allowed-tools: Read")}),
    ),
)
