"""A field stands twice in the frontmatter.

YAML requires unique keys. Readers differ: the first value, the last one, or no skill at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for problem in skill.problems:
        if problem.kind == "duplicate_key":
            place = problem.place
            yield Problem(message=problem.message, hint=problem.hint, line=place.line, column=place.column)


RULE = Rule(
    code="SP011",
    slug="field-written-twice",
    title="a field is written twice",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="keep one of the two",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/1052326311/session-guardian at 1e90d60",
    silent_on="anthropics/skills/skills/claude-api",
    examples=(
        Example(files={"SKILL.md": manifest(extra="license: MIT\nlicense: MIT")}, lines=(5,)),
        Example(files={"SKILL.md": manifest(extra="license: MIT")}),
    ),
)
