"""A path of the skill is written with backslashes.

It works on Windows alone; everywhere else the agent gets "no such file". A folder that the skill does not have is
somebody else's: a project on Windows may well speak of `assets\\images`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_WINDOWS = re.compile(r"(?<![\w\\])(?:\.\\)?(scripts|references|assets|templates|resources)\\[\w.\\-]+")


def check(skill: Skill) -> Iterator[Problem]:
    if "\\" not in skill.body:
        return
    folders = {path.split("/", 1)[0] for path in skill.files if "/" in path}
    for number, line in enumerate(skill.body.split("\n"), start=1):
        match = _WINDOWS.search(line)
        if match is None or match[1] not in folders:
            continue
        path = match[0].replace("\\", "/")
        yield Problem(
            message=f"`{match[0]}` works on Windows alone.",
            line=skill.at(number),
            column=match.start() + 1,
            hint=f"write {path}",
            replacement=(line, line.replace(match[0], path)) if path.removeprefix("./") in skill.files else None,
        )


RULE = Rule(
    code="CO035",
    slug="backslash-in-path",
    title="a path is written with backslashes",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write paths with forward slashes",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/mayswind/ezbookkeeping at 1e90d60",
    silent_on="anthropics/skills/skills/skill-creator",
    weight=5,
    cap=10,
    requires=("SP001", "SP002"),
    examples=(
        Example(
            files={"SKILL.md": manifest("Run `python scripts\\export.py`.\n"), "scripts/export.py": "print(1)\n"},
            lines=(5,),
        ),
        Example(files={"SKILL.md": manifest("Run `python scripts/export.py`, or C:\\ledger\\x.\n")}),
        Example(
            files={"SKILL.md": manifest("The project keeps its pictures in `assets\\images`.\n")}, why="not its folder"
        ),
    ),
)
