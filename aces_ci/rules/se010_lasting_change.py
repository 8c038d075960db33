"""Something stays behind: a job, a login, a changed start file, rights that were not there before.

It runs when the skill is long forgotten, or lets in who could not enter before. Critical are a key that is written out
or downloaded and may log in from then on, rights without a password for everything or for a program that does anything
it is told, and a shell that runs as its owner. A key that the caller names, one command without a password, and what is
set up on a server of one's own are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.hazards import problems
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    return problems(skill, Kind.PERSISTENCE, Kind.PRIVILEGE, tail="It outlasts the task.")


RULE = Rule(
    code="SE010",
    slug="lasting-change",
    title="leaves a lasting change behind",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    hint="print the change for the user to make, and say how to undo it",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/adolago/meta-business at 1e90d60",
    silent_on="openclaw/skills/skills/bunsdev/caffeine",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/a.sh": '#!/bin/sh\necho "$KEY" >> ~/.ssh/authorized_keys\n'},
            lines=(2,),
            path="scripts/a.sh",
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\n```bash\necho '* * * * * x' | crontab -\n```\n")}, lines=(8,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n```bash\ncrontab -l\nchmod +x run.sh\n```\n")}),
    ),
)
