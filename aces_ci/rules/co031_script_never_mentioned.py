"""A script is mentioned nowhere.

No agent runs a file it is not told about. Scripts that another script or reference names are fine, as are
modules that other scripts import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import scripts
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_NEVER_READ = re.compile(r"(?i)(^|/)(readme|changelog|changes|history|license|skill-card)[^/]*$|^(evals|tests?)/")
"""Files that an agent at work does not open: to be named there helps nobody."""


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
    for path in found:
        name = path.rsplit("/", 1)[-1]
        stem_ = name.rsplit(".", 1)[0]
        imported = re.compile(rf"(?:import|from|require|source)\b[^\n]*\b{re.escape(stem_)}\b")
        used = any(other != path and (name in text or imported.search(text)) for other, text in texts.items())
        folder = path.rsplit("/", 1)[0] + "/" if "/" in path else ""
        named_folder = folder.count("/") > 1 and folder in skill.body
        if used or named_folder or (unread and skill.files[path].data is None and path.count("/") > 1):
            continue
        yield Problem(
            path=path,
            whole_file=True,
            column=1,
            message=f"{path} is mentioned nowhere, so no agent will run it.",
            hint="show its command line in SKILL.md",
        )


RULE = Rule(
    code="CO031",
    slug="script-never-mentioned",
    title="script is never mentioned",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="show its command line in SKILL.md",
    check=check,
    weight=9,
    cap=18,
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/skill-creator",
    silent_on="obra/superpowers/skills/using-git-worktrees",
    examples=(
        Example(files={"SKILL.md": manifest(), "scripts/export.py": "print(1)\n"}, lines=(1,)),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `python scripts/export.py`.\n"),
                "scripts/export.py": "import ledger\n",
                "scripts/ledger.py": "x = 1\n",
            }
        ),
    ),
)
