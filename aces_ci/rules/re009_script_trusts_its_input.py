"""A script reads arguments without looking at them.

`sys.argv[1]` without a check ends in an IndexError that tells the agent nothing about usage. An argument parser,
or a look at the number of arguments, answers with how to call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import scripts
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for path in scripts(skill):
        text = skill.files[path].text
        if text is None:
            continue
        if path.endswith(".py"):
            reads = re.search(r"sys\.argv\[\d", text)
            looks = re.search(r"argparse|click|typer|docopt|len\((?:sys\.)?argv\)|IndexError", text)
        elif path.endswith((".sh", ".bash")):
            reads = re.search(r"(?<![\\\w])\$[1-9]\b", text)
            looks = re.search(r"\$#|\$\{[1-9]:[?-]|-z \"?\$|getopts|-n \"?\$|usage", text)
        else:
            continue
        if reads and not looks:
            line = text.count("\n", 0, reads.start()) + 1
            yield Problem(
                path=path, line=line, message=f"{path} reads an argument without looking whether it is there."
            )


RULE = Rule(
    code="RE009",
    slug="script-trusts-its-input",
    title="script reads arguments unchecked",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="check the arguments and print the usage when they are wrong",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/balkanblbn/rejection-logger at 1e90d60",
    silent_on="anthropics/skills/skills/skill-creator",
    weight=3,
    cap=6,
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/go.py": "import sys\nopen(sys.argv[1])\n"},
            lines=(2,),
            path="scripts/go.py",
        ),
        Example(files={"SKILL.md": manifest(), "scripts/go.sh": "set -e\ncat $1\n"}, lines=(2,), path="scripts/go.sh"),
        Example(files={"SKILL.md": manifest(), "scripts/go.py": "import argparse, sys\nsys.argv[1]\n"}),
    ),
)
