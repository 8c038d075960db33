"""A value in `metadata` is not text.

The specification defines `metadata` as text to text. Nested maps, lists and bare numbers are read by some agents
as written, by others as their printed form, and refused by others. Quotes make them mean one thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("metadata")
    wrong = [child for child in (entry.children if entry else ()) if isinstance(child.value, (dict, list))]
    if wrong:
        names = ", ".join(f"`{child.key[:40]}`" for child in wrong[:4])
        yield Problem(
            message=f"In `metadata`, {names} {'is' if len(wrong) == 1 else 'are'} no text; the specification "
            "defines text to text, and agents differ in what they read.",
            line=wrong[0].at_key.line,
        )


RULE = Rule(
    code="CO003",
    slug="metadata-value-not-text",
    title="metadata holds lists or maps",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    strict_severity=Severity.WARNING,
    hint="write the value as one quoted string",
    check=check,
    weight=2,
    requires=("SP001", "SP002", "SP013"),
    fires_on="NVIDIA/skills/skills/cudaq-guide",
    silent_on="anthropics/skills/skills/webapp-testing",
    examples=(
        Example(files={"SKILL.md": manifest(extra="metadata:\n  tags: [a, b]\n  owner: {team: x}")}, lines=(5,)),
        Example(files={"SKILL.md": manifest(extra='metadata:\n  tags: "a b"')}),
    ),
)
