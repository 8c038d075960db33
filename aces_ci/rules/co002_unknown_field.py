"""The frontmatter holds a field that the specification does not define.

The specification does not forbid it, and several agents define fields of their own (those are not reported).
The reference validator refuses every other name, and most readers ignore it: what was meant to have an effect
has none. `metadata` is the place for one's own keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_DEFINED = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_OF_AGENTS = vocabulary(
    """argument-hint arguments disable-model-invocation user-invocable when_to_use model context agent
    hooks effort paths shell disallowed-tools version author tags tools homepage"""
)


def check(skill: Skill) -> Iterator[Problem]:
    for key, entry in (skill.frontmatter or {}).items():
        if key not in _DEFINED and key not in _OF_AGENTS:
            yield Problem(
                message=f"`{key[:60]}` is no field of the specification; most agents ignore it.",
                line=entry.at_key.line,
                column=entry.at_key.column,
            )


RULE = Rule(
    code="CO002",
    slug="unknown-field",
    title="frontmatter holds an unknown field",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    strict_severity=Severity.WARNING,
    hint="move it below `metadata`, or correct its spelling",
    check=check,
    weight=1,
    cap=3,
    requires=("SP001", "SP002"),
    fires_on="NVIDIA/skills/skills/deepstream-generate-pipeline",
    silent_on="getsentry/skills/skills/iterate-pr",
    examples=(
        Example(files={"SKILL.md": manifest(extra="descripton: typo\nemoji: x")}, lines=(4, 5)),
        Example(files={"SKILL.md": manifest(extra="license: MIT\nargument-hint: file")}),
    ),
)
