"""No tags are given (profile `strict`).

The strict contract wants `metadata.tags`, one string with blanks between the tags.
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
    if "tags" not in fields and not (isinstance(metadata, dict) and metadata.get("tags")):
        yield Problem(message="The frontmatter names no tags; the strict contract wants `metadata.tags`.")


RULE = Rule(
    code="CO012",
    slug="tags-missing",
    title="tags are missing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint='add `tags: "first second"` below `metadata`',
    check=check,
    fires_on="anthropics/skills/skills/brand-guidelines",
    silent_on="NVIDIA/skills/plugins/nvidia-skills/skills/nvidia-skill-finder",
    weight=5,
    profiles=frozenset({Profile.STRICT}),
    requires=("SP001", "SP002", "SP013"),
    examples=(
        Example(files={"SKILL.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest(extra='metadata:\n  tags: "ledger csv"')}),
    ),
)
