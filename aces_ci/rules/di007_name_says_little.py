"""The name says nothing about the subject.

The name is half of what an agent sees. `utils`, `helper` or two letters match nothing that a user types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_GENERIC = vocabulary(
    """util utils helper helpers tool tools misc common general skill skills main test demo sample my new
    core base"""
)


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("name")
    name = skill.name or ""
    parts = [part for part in re.split(r"[-_\s]+", name.lower()) if part]
    if entry is None or not parts or re.search(r"[^\x00-\x7f]", name):
        return
    if all(part in _GENERIC or part.isdigit() for part in parts) or len(name) < 3:
        yield Problem(message=f"The name `{name}` says nothing about the subject.", line=entry.at_value.line)


RULE = Rule(
    code="DI007",
    slug="name-says-little",
    title="name says nothing about the subject",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="name it after the task, for example `ledger-export`",
    check=check,
    weight=8,
    requires=("SP001", "SP002", "SP005"),
    fires_on="openclaw/skills/skills/darconada/test-minimal-skill",
    silent_on="getsentry/skills/skills/brand-guidelines",
    examples=(
        Example(files={"SKILL.md": manifest(name="my-utils")}, directory="my-utils", lines=(2,)),
        Example(files={"SKILL.md": manifest(name="ledger-export")}, directory="ledger-export"),
    ),
)
