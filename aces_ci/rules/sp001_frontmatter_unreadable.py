"""The frontmatter is there but cannot be read as YAML fields.

Agents index a skill by its frontmatter alone. Where YAML ends early, strict readers drop the whole skill, and
lenient ones fall back to the folder's name and lose `allowed-tools` with it. The usual cause is `: ` inside a
value without quotes. Every broken line of the block is reported, and rules that need a field are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill

_ABSENT = frozenset({"missing", "empty"})
_PLAIN = re.compile(r"^(?P<key>[A-Za-z][\w-]*):[ \t]+(?P<value>[^\"'|>\[{&*!#%@`\s].*?)[ \t]*$")


def check(skill: Skill) -> Iterator[Problem]:
    for problem in skill.problems:
        if not problem.fatal or problem.kind in _ABSENT:
            continue
        place = problem.place
        yield Problem(
            message=problem.message,
            hint=problem.hint,
            line=place.line,
            end_line=place.end_line,
            column=place.column,
            end_column=place.end_column,
            note="YAML ends the value here" if "without quotes" in problem.message else "",
            replacement=_quoted(skill, place.line) if "without quotes" in problem.message else None,
        )


def _quoted(skill: Skill, line: int) -> tuple[str, str] | None:
    """The line with its value in double quotes, where the value stands on that line alone."""
    lines = skill.text.split("\n")
    match = _PLAIN.match(lines[line - 1])
    if match is None or (line < len(lines) and lines[line].startswith((" ", "\t"))):
        return None
    value = match["value"].replace("\\", "\\\\").replace('"', '\\"')
    return lines[line - 1], f'{match["key"]}: "{value}"'


RULE = Rule(
    code="SP001",
    slug="frontmatter-unreadable",
    title="frontmatter cannot be read",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="put the value in double quotes",
    check=check,
    fires_on="microsoft/waza/cmd/waza/tokens/testdata/check/all-pass",
    silent_on="obra/superpowers/skills/finishing-a-development-branch",
    examples=(
        Example(files={"SKILL.md": "---\nname: sample\ndescription: Do this: now\nlicense: a: b\n---\n"}, lines=(3, 4)),
        Example(files={"SKILL.md": "---\nname: sample\ndescription: never closed\n\n# Title\n"}, lines=(1,)),
        Example(files={"SKILL.md": '---\nname: sample\ndescription: "Do this: now"\n---\n'}),
    ),
)
