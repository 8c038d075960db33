"""A value without quotes is cut at ` #`.

In YAML a blank and a hash begin a comment. The description silently ends there, and with it whatever trigger
stood behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    lines = skill.text.split("\n")
    for key, entry in (skill.frontmatter or {}).items():
        at = entry.at_value
        if not isinstance(entry.value, str) or entry.written[:1] in "\"'|>" or at.line != at.end_line:
            continue
        rest = lines[at.end_line - 1][at.end_column - 1 :]
        match = re.match(r"[ \t]+#\S*[ \t]*\S", rest)
        if match and not re.match(r"[ \t]+#[ \t]", rest):
            old = lines[at.line - 1]
            value = old[at.column - 1 :].rstrip().replace("\\", "\\\\").replace('"', '\\"')
            yield Problem(
                message=f'`{key}` is cut at " #": YAML reads the rest of the line as a comment.',
                line=at.line,
                column=at.end_column + 1,
                replacement=(old, f'{old[: at.column - 1]}"{value}"'),
            )


RULE = Rule(
    code="CO004",
    slug="value-cut-at-hash",
    title='a value is cut at " #"',
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="put the value in double quotes",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/jack4world/audit-case-rag at 1e90d60",
    silent_on="sickn33/antigravity-awesome-skills/skills/csharp-pro",
    weight=8,
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest(description="Triage bugs. Use for issue #42 references.")}, lines=(3,)),
        Example(files={"SKILL.md": manifest(description='"Triage bugs. Use for issue #42."')}),
        Example(files={"SKILL.md": manifest(extra="license: MIT # see LICENSE")}, why="a real comment"),
    ),
)
