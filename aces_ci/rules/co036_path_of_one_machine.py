"""A path of one person's machine was left in.

`/Users/anna/…` exists on one computer. Homes in general (`~/`, `$HOME`) and the names of placeholders are fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_HOME = re.compile(r"(?<![\w.])(?:/Users/|/home/|[A-Z]:\\Users\\)(?P<who>[A-Za-z][\w.-]*)")
_ANYONE = vocabulary(
    """user users username you your yourname your-username me name ubuntu runner agent node root admin
    shared someone alice bob user1 myuser public example vscode claude claude-user coder app default dev"""
)


def check(skill: Skill) -> Iterator[Problem]:
    if "/home/" not in skill.body and "Users" not in skill.body:
        return
    for number, line in enumerate(skill.body.split("\n"), start=1):
        match = _HOME.search(line)
        if match and match["who"].lower().rstrip(".") not in _ANYONE:
            yield Problem(
                message=f"`{match[0]}` exists on one machine only.", line=skill.at(number), column=match.start() + 1
            )


RULE = Rule(
    code="CO036",
    slug="path-of-one-machine",
    title="a path exists on one machine only",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write it relative to the skill, or with $HOME",
    check=check,
    weight=4,
    cap=8,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002"),
    fires_on="K-Dense-AI/claude-scientific-skills/scientific-skills/primekg",
    silent_on="getsentry/skills/skills/create-branch",
    examples=(
        Example(files={"SKILL.md": manifest("Open /Users/mira/ledger/out.csv first.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("Open ~/ledger/out.csv or /home/user/out.csv first.\n")}),
    ),
)
