"""A path of the skill is written with backslashes.

It works on Windows alone; everywhere else the agent gets "no such file". A folder that the skill does not have is
somebody else's: a project on Windows may well speak of `assets\\images`. In a folder that is not one of the usual
ones, and in the skill's other Markdown files, the file itself has to be there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_WINDOWS = re.compile(r"(?<![\w\\.-])(?:\.\.?\\)*([A-Za-z][\w.-]*)\\(?:[\w.\\-]*\w)")
_USUAL = frozenset({"scripts", "references", "assets", "templates", "resources"})

_OF_WINDOWS = (".bat", ".cmd", ".exe", ".com")
"""What runs on Windows alone is called as Windows wants it: its shell takes no slash before a program's name."""


def check(skill: Skill) -> Iterator[Problem]:
    folders = {path.split("/", 1)[0] for path in skill.files if "/" in path}
    yield from _in_text(skill, skill.manifest, skill.body, folders & _USUAL)
    for path in sorted(skill.files):
        if path.endswith(".md") and path != skill.manifest and "/" in path:
            yield from _in_text(skill, path, skill.files[path].text or "", ())


def _in_text(skill: Skill, path: str, text: str, usual: Collection[str]) -> Iterator[Problem]:
    """One problem a line; a path below a folder of `usual` may be of a file that is not there."""
    if "\\" not in text:
        return
    own = path == skill.manifest
    for number, line in enumerate(text.split("\n"), start=1):
        if "\\" not in line:
            continue
        paths = (found for found in _WINDOWS.finditer(line) if not found[0].lower().endswith(_OF_WINDOWS))
        match = next((found for found in paths if found[1] in usual or _held(skill, path, found[0])), None)
        if match is None:
            continue
        fixed = _WINDOWS.sub(lambda found: _written(skill, path, found[0]), line)
        yield Problem(
            path=None if own else path,
            message=f"`{match[0]}` works on Windows alone.",
            line=skill.at(number) if own else number,
            column=match.start() + 1,
            hint=f"write {match[0].replace(chr(92), '/')}",
            replacement=(line, fixed) if fixed != line else None,
        )


def _held(skill: Skill, path: str, named: str) -> bool:
    """Whether the skill has the file, seen from its own folder or from that of the file `path`."""
    slashed = named.replace("\\", "/")
    seen = {posixpath.normpath(slashed), posixpath.normpath(posixpath.join(posixpath.dirname(path), slashed))}
    return not seen.isdisjoint(skill.files)


def _written(skill: Skill, path: str, named: str) -> str:
    """The path with slashes where it is a file of the skill that runs elsewhere too."""
    own = _held(skill, path, named) and not named.lower().endswith(_OF_WINDOWS)
    return named.replace("\\", "/") if own else named


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
        Example(
            files={
                "SKILL.md": manifest("See [rates](references/rates.md).\n"),
                "references/rates.md": "# Rates\n\nThe zones are in `..\\assets\\zones.csv`, not `assets\\maps`.\n",
                "assets/zones.csv": "a,b\n",
            },
            lines=(3,),
            path="references/rates.md",
            why="a reference, as seen from its own folder",
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
