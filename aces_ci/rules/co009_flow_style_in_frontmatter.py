"""The frontmatter uses JSON-like flow style.

It is valid YAML and every agent we know reads it. The reference validator refuses it, which matters only where
that validator gates; so the rule runs in profile `strict` alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Profile, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    lines = skill.text.split("\n")
    for entry in (skill.frontmatter or {}).values():
        for field in (entry, *entry.children):
            at = field.at_value
            if isinstance(field.value, (dict, list)) and lines[at.line - 1][at.column - 1 : at.column] in ("{", "["):
                yield Problem(
                    message=f"`{field.key[:40]}` is written in flow style, which skills-ref refuses.", line=at.line
                )
                break


RULE = Rule(
    code="CO009",
    slug="flow-style-in-frontmatter",
    title="frontmatter uses flow style",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write one indented `key: value` or `- item` a line",
    check=check,
    fires_on="NVIDIA/skills/skills/jetson-diagnostic",
    silent_on="NVIDIA/skills/plugins/nvidia-skills/skills/nvidia-skill-finder",
    profiles=frozenset({Profile.STRICT}),
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest(extra='metadata: {"a": "b"}')}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="metadata:\n  a: b")}),
    ),
)
