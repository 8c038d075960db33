"""A command names a file of the skill that is not there.

Paths below `scripts/`, `references/`, `assets/`, `templates/` and `resources/` in code are looked up, scripts also in
any other folder where the skill keeps some, programs without an ending where a command begins with them. A renamed or
forgotten script fails only when the agent is already at work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.reference import SCRIPT_SUFFIXES, above, meant, mentions
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

SCRIPT, OTHER, NEXT = 7.0, 4.0, 0.7
"""Points of a missing script and of another missing file, and what each further one costs of the one before it."""
MOST = 5
"""Findings that get a line; a folder that is missing as a whole would fill the report."""


def check(skill: Skill) -> Iterator[Problem]:
    seen: set[str] = set()
    lines = skill.text.split("\n")
    for path, line in mentions(skill):
        known = path in skill.files or any(name.startswith(path + "/") for name in skill.files)
        stem_ = path.rsplit("/", 1)[-1]
        nested = any(name.endswith("/" + path) for name in skill.files)
        if known or above(skill, path) or nested or path in seen:
            continue
        program = "." not in stem_
        if program and not _called(skill, path):
            continue
        seen.add(path)
        column = lines[line - 1].find(path) + 1
        instead = meant(skill, skill.manifest, path)
        yield Problem(
            message=f"`{path}` is named here, but the skill holds no such file.",
            line=line,
            column=column or None,
            hint=f"correct the path: {instead} is there" if instead else f"correct the path, or add {path}",
            quiet=len(seen) > MOST,
            deduction=(SCRIPT if program or path.endswith(SCRIPT_SUFFIXES) else OTHER) * NEXT ** (len(seen) - 1),
        )


def _called(skill: Skill, path: str) -> bool:
    """Whether a name without an ending is a program's: below `scripts/`, first in a command, and short for no other."""
    if not path.startswith("scripts/") or any(name.startswith(f"{path}.") for name in skill.files):
        return False
    parts = outline(skill.body)
    own = f"(?:{re.escape(skill.directory)}/)?" if skill.directory else ""
    call = re.compile(
        rf"^[ \t]*(?:\$ )?(?:(?:python3?|bash|sh|node|ruby|uv run) )?(?:\./)?{own}{re.escape(path)}(?= )", re.M
    )
    return any(call.search(text) for text in (*(text for text, _ in parts.spans), *(c.content for c in parts.codes)))


RULE = Rule(
    code="CO032",
    slug="named-file-missing",
    title="a command names a missing file",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="correct the path, or add the file",
    check=check,
    cap=20,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002"),
    fires_on="getsentry/skills/skills/skill-scanner",
    silent_on="obra/superpowers/skills/using-git-worktrees",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```sh\npython scripts/export.py\n```\n")}, lines=(8,)),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\n```sh\npython scripts/export.py\n```\n"),
                "scripts/export.py": "print(1)\n",
            }
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\nWrite `scripts/<name>.py` yourself.\n")}),
        Example(
            files={"SKILL.md": manifest("# Sample\n\n```sh\nscripts/export-ledger --csv\n```\n")},
            lines=(8,),
            why="a program needs no ending",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nThe programs are in `scripts/export` and scripts/import.\n"),
                "scripts/export.sh": "ledger\n",
            },
            why="a name that is short for one with an ending, and one in running text",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `python gates/totals.py` and `python gates/sums.py`.\n"),
                "gates/sums.py": "print(1)\n",
            },
            lines=(7,),
            why="the folder is the skill's own",
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nA worked example is `examples/ledger.ts`.\n")},
            lines=(7,),
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nRun `python examples/train.py` and read `src/ledger.ts`.\n")},
            why="both are of the project at hand",
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\n```sh\nbash skills/sample/report.sh 2026\n```\n")},
            lines=(8,),
            why="a path through the skill's own folder",
        ),
    ),
)
