"""The frontmatter gives no description.

`description` is required, and it is all that an agent reads before it decides to open a skill.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("description")
    if entry is None:
        yield Problem(message="The frontmatter has no `description`, which the specification requires.")
    elif isinstance(entry.value, (dict, list)):
        kind = "a list" if isinstance(entry.value, list) else "a map"
        yield Problem(message=f"`description` is {kind}; it must be text.", line=entry.at_key.line)
    elif entry.value is None or (isinstance(entry.value, str) and not entry.value.strip()):
        yield Problem(
            message="`description` is empty, so no agent can know when to use the skill.", line=entry.at_key.line
        )


RULE = Rule(
    code="SP008",
    slug="description-missing",
    title="description is missing",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="say what the skill does and when to use it",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="microsoft/waza/cmd/waza/dev/testdata/minimal",
    silent_on="obra/superpowers/skills/requesting-code-review",
    examples=(
        Example(files={"SKILL.md": "---\nname: sample\n---\n"}, lines=(1,)),
        Example(files={"SKILL.md": "---\nname: sample\ndescription: ''\n---\n"}, lines=(3,)),
        Example(files={"SKILL.md": "---\nname: sample\ndescription: [a]\n---\n"}, lines=(3,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
