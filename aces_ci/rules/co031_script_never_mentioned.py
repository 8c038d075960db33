"""A script is mentioned nowhere.

No agent runs a file it is not told about. Modules that a mentioned script imports or starts are fine. A script that
only a reference names is found late: it costs a few points, and no line for the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import markup
from aces_ci.core.reading.reference import SCRIPT_SUFFIXES, imports, scripts
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_NEVER_READ = re.compile(
    r"(?i)(^|/)(readme|changelog|changes|history|license|skill-card|conftest)[^/]*$|(^|/)(evals|tests?)/|(^|/)test_[^/]*$|[._-]test\.\w+$"
)
"""Files that an agent at work does not open: to be named there helps nobody."""

FIRST, LATE, NEXT = 9.0, 6.0, 0.75
"""Points of the first script, of one that only a reference names, and what each further one costs of that."""
_COMMENTS = ("#", "//", "*", "/*")
_TEXTS = (".md", ".html", ".txt", ".tmpl", ".template")
"""What an agent reads, as against what configures or runs."""


def check(skill: Skill) -> Iterator[Problem]:
    found = scripts(skill)
    if not found:
        return
    texts = {
        path: file.text or ""
        for path, file in skill.files.items()
        if file.size < 200_000 and not _NEVER_READ.search(path)
    }
    texts[skill.manifest] = skill.body
    unread = any(file.data is None for file in skill.files.values())
    named = _named_by(found, texts)
    told = [path for path in found if _told(skill, path, named[path])]
    reached = set(told)
    while told:  # what a script that is told of runs is told of as well
        path = told.pop()
        more = [other for other in found if other not in reached and path in named[other]]
        reached.update(more)
        told += more
    part = 1.0
    for path in found:
        by = [other for other in named[path] if other not in found]
        if path in reached or any(not other.endswith(_TEXTS) for other in by):
            continue
        if by:
            yield Problem(path=path, message=f"{path} is named in {by[0]} alone.", deduction=LATE * part, quiet=True)
        elif unread and skill.files[path].data is None and path.count("/") > 1:
            continue
        else:
            yield Problem(
                path=path,
                whole_file=True,
                column=1,
                message=f"{path} is mentioned nowhere, so no agent will run it."
                if not named[path]
                else f"{path} is mentioned in {named[path][0]} alone, which is mentioned nowhere.",
                hint="show its command line in SKILL.md",
                deduction=FIRST * part,
            )
        part *= NEXT


def _told(skill: Skill, path: str, by: list[str]) -> bool:
    """Whether the manifest names a script, the folder of one that lies deeper, or takes it in as a module."""
    folder = path.rsplit("/", 1)[0] + "/" if "/" in path else ""
    if re.search(rf"-m {re.escape(path.rsplit('.', 1)[0].replace('/', '.'))}(?![\w.])", skill.body):
        return True
    if path.rsplit("/", 1)[-1] in skill.body or (folder.count("/") > 1 and folder in skill.body):
        return True
    return skill.manifest in by and (not folder or folder.replace("/", ".") in skill.body or folder in skill.body)


def _named_by(found: tuple[str, ...], texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Of each script the files that name it or take it in."""
    codes: dict[str, str] = {}
    named: dict[str, list[str]] = {}
    for path in found:
        name = path.rsplit("/", 1)[-1]
        stem = name.rsplit(".", 1)[0]
        imported = imports(path)
        named[path] = [
            other
            for other, text in texts.items()
            if other != path
            and stem in text
            and (
                _names(other, text, name)
                or imported.search(codes.get(other) or codes.setdefault(other, _code(other, text)))
            )
        ]
    return named


def _names(path: str, text: str, script: str) -> bool:
    """Whether a file names a script: a text anywhere, a program outside its comments, in quotes or as a path."""
    if script not in text or not path.endswith(SCRIPT_SUFFIXES):
        return script in text
    named = re.compile(rf"[\"'`/]{re.escape(script)}" if not path.endswith((".sh", ".bash")) else re.escape(script))
    return any(named.search(line) and not line.lstrip().startswith(_COMMENTS) for line in text.split("\n"))


def _code(path: str, text: str) -> str:
    """The code of a text: of Markdown what stands in its blocks."""
    return "\n".join(code.content for code in markup(text).codes) if path.endswith(".md") else text


RULE = Rule(
    code="CO031",
    slug="script-never-mentioned",
    title="script is never mentioned",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="show its command line in SKILL.md",
    check=check,
    cap=30,
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/skill-creator",
    silent_on="obra/superpowers/skills/using-git-worktrees",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/export.py": "print(1)\n"}, lines=(1,), path="scripts/export.py"
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `python scripts/export.py`.\n"),
                "scripts/export.py": "import ledger\n",
                "scripts/ledger.py": "x = 1\n",
            }
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `python -m scripts.export 2026`.\n"),
                "scripts/export.py": "print(1)\n",
            },
            why="run as a module",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `python scripts/export.py`.\n"),
                "scripts/export.py": "from lib import (\n    ledger,\n)\n",
                "scripts/lib/__init__.py": "",
                "scripts/lib/ledger.py": "x = 1\n",
            },
            why="a part of a package",
        ),
        Example(
            files={
                "SKILL.md": manifest(),
                "scripts/export.py": '"""Usage: export.py LEDGER"""\n',
                "scripts/test_export.py": 'run("scripts/export.py")\n',
            },
            lines=(1,),
            path="scripts/export.py",
            why="its own test is not read by an agent",
        ),
        Example(
            files={
                "SKILL.md": manifest(),
                "scripts/export.py": "print(1)\n",
                "scripts/lib/__init__.py": "",
                "scripts/lib/paths.py": "# read from the export folder\n",
            },
            lines=(1,),
            path="scripts/export.py",
            why="a sentence is no import",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `bash scripts/run.sh`.\n"),
                "scripts/run.sh": "node scripts/mail.js\n",
                "scripts/mail.js": "const ledger = require('./ledger')\n",
                "scripts/ledger.js": "exports.rows = []\n",
            },
            why="what a script runs that the text names is fine, however deep",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nSee [export](references/export.md).\n"),
                "references/export.md": "Run `python scripts/export.py`.\n",
                "scripts/export.py": "print(1)\n",
            }
        ),
    ),
)
