"""The frontmatter gives no name.

`name` is one of the two required fields; without it the skill has no handle that an agent or a user could use.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    fields = skill.frontmatter or {}
    entry = fields.get("name")
    directory = skill.directory or "my-skill"
    if entry is None:
        yield Problem(
            message="The frontmatter has no `name`, which the specification requires.", hint=f"name: {directory}"
        )
    elif isinstance(entry.value, (dict, list)):
        kind = "a list" if isinstance(entry.value, list) else "a map"
        line = entry.at_value.line
        yield Problem(message=f"`name` is {kind}; it must be text.", hint=f"name: {directory}", line=line)
    elif entry.value is None or (isinstance(entry.value, str) and not entry.value.strip()):
        yield Problem(message="`name` is empty.", hint=f"name: {directory}", line=entry.at_key.line)


RULE = Rule(
    code="SP005",
    slug="name-missing",
    title="name is missing",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="add `name:` with the directory's name",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/sa9saq/git-stats at 1e90d60",
    silent_on="anthropics/skills/template",
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": "---\ndescription: Reads logs.\n---\n"}, lines=(1,)),
        Example(files={"SKILL.md": "---\ndescription: Reads logs.\nname:\n---\n"}, lines=(3,)),
        Example(files={"SKILL.md": "---\nname: [a, b]\ndescription: Reads logs.\n---\n"}, lines=(2,)),
        Example(files={"SKILL.md": manifest()}),
    ),
)
