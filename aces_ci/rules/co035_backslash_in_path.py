"""A path of the skill is written with backslashes.

It works on Windows alone; everywhere else the agent gets "no such file". A folder that the skill does not have is
somebody else's: a project on Windows may well speak of `assets\\images`. In a folder that is not one of the usual
ones the file itself has to be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_WINDOWS = re.compile(r"(?<![\w\\.-])(?:\.\\)?([A-Za-z][\w.-]*)\\(?:[\w.\\-]*\w)")
_USUAL = frozenset({"scripts", "references", "assets", "templates", "resources"})

_OF_WINDOWS = (".bat", ".cmd", ".exe", ".com")
"""What runs on Windows alone is called as Windows wants it: its shell takes no slash before a program's name."""


def check(skill: Skill) -> Iterator[Problem]:
    if "\\" not in skill.body:
        return
    folders = {path.split("/", 1)[0] for path in skill.files if "/" in path}
    for number, line in enumerate(skill.body.split("\n"), start=1):
        paths = (found for found in _WINDOWS.finditer(line) if not found[0].lower().endswith(_OF_WINDOWS))
        match = next((f for f in paths if f[1] in folders and (f[1] in _USUAL or _slashed(f[0]) in skill.files)), None)
        if match is None:
            continue
        path = match[0].replace("\\", "/")
        fixed = _WINDOWS.sub(lambda found: _written(skill, found[0]), line)
        yield Problem(
            message=f"`{match[0]}` works on Windows alone.",
            line=skill.at(number),
            column=match.start() + 1,
            hint=f"write {path}",
            replacement=(line, fixed) if fixed != line else None,
        )


def _slashed(path: str) -> str:
    """As the skill's own files are called."""
    return path.replace("\\", "/").removeprefix("./")


def _written(skill: Skill, path: str) -> str:
    """The path with slashes where it is a file of the skill that runs elsewhere too."""
    own = _slashed(path) in skill.files and not path.lower().endswith(_OF_WINDOWS)
    return path.replace("\\", "/") if own else path


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
        Example(
            files={"SKILL.md": manifest("See [rates](.\\ref\\rates.md).\n"), "ref/rates.md": "One to one.\n"},
            lines=(5,),
            why="a folder of another name, and the file is there",
        ),
        Example(files={"SKILL.md": manifest("Run `python scripts/export.py`, or C:\\ledger\\x.\n")}),
        Example(files={"SKILL.md": manifest("Run `scripts\\run.bat`.\n"), "scripts/run.bat": "echo 1\n"}),
        Example(
            files={"SKILL.md": manifest("The project keeps its pictures in `assets\\images`.\n")}, why="not its folder"
        ),
        Example(
            files={"SKILL.md": manifest("Match `ref\\d+` first.\n"), "ref/rates.md": "One to one.\n"},
            why="no file of the skill",
        ),
    ),
)
