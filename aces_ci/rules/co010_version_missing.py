"""No version is given (profile `strict`).

The strict contract wants `metadata.version`, so that a report can say which text it speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Profile, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    fields = skill.frontmatter or {}
    metadata = fields["metadata"].value if "metadata" in fields else None
    if "version" not in fields and not (isinstance(metadata, dict) and metadata.get("version")):
        yield Problem(message="The frontmatter names no version; the strict contract wants `metadata.version`.")


RULE = Rule(
    code="CO010",
    slug="version-missing",
    title="version is missing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint='add `version: "1.0"` below `metadata`',
    check=check,
    fires_on="anthropics/skills/skills/brand-guidelines",
    silent_on="NVIDIA/skills/skills/cudaq-guide",
    weight=5,
    profiles=frozenset({Profile.STRICT}),
    requires=("SP001", "SP002", "SP013"),
    examples=(
        Example(files={"SKILL.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest(extra='metadata:\n  version: "1.0"')}),
    ),
)
