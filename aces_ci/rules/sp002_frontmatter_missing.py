"""The manifest has no frontmatter.

The specification wants YAML frontmatter at the first byte of the file. Without it no agent learns what the
skill is called or when to open it.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for problem in skill.problems:
        if problem.kind in ("missing", "empty"):
            yield Problem(message=problem.message, hint=problem.hint, line=problem.place.line)


RULE = Rule(
    code="SP002",
    slug="frontmatter-missing",
    title="manifest has no frontmatter",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="start the file with `---`, `name:`, `description:`, `---`",
    check=check,
    fires_on="microsoft/waza/cmd/waza/tokens/testdata/check/legacy-json-only",
    silent_on="getsentry/skills/skills/gh-review-requests",
    examples=(
        Example(files={"SKILL.md": "# Only a title\n"}, lines=(1,)),
        Example(files={"SKILL.md": ""}, lines=(1,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
