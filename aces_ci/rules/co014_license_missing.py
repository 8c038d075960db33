"""No licence is given (profile `strict`).

The strict contract wants `license`, or a LICENSE file in the skill's folder.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Profile, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    bundled = any(path.upper().startswith(("LICENSE", "LICENCE", "COPYING")) for path in skill.files)
    if "license" not in (skill.frontmatter or {}) and not bundled:
        yield Problem(message="The frontmatter names no licence; nobody knows whether they may use the skill.")


RULE = Rule(
    code="CO014",
    slug="license-missing",
    title="license is missing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add `license:` with its name or the bundled file",
    check=check,
    fires_on="anthropics/skills/skills/skill-creator",
    silent_on="anthropics/skills/skills/brand-guidelines",
    weight=5,
    profiles=frozenset({Profile.STRICT}),
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest(extra="license: MIT")}),
        Example(files={"SKILL.md": manifest(), "LICENSE.txt": "MIT"}),
    ),
)
