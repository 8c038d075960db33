"""A command deletes or overwrites what cannot be brought back.

Commands are parsed, not searched: `echo "rm -rf /"` prints, `r\\m -rf /` deletes. Relative paths and temporary
folders are the agent's own business; a whole disk, home or system directory is not, and neither is the history of
a shared branch. Critical is what stands in a script, or runs on load, and names all of the machine, a home or the
first disk, whatever happens before it. In a document, behind a condition, in a container, on another machine, in a
test it is a warning, and so is what whoever sets a machine up does as well: a folder of the system, a further disk, a
database.
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
    return problems(skill, Kind.DESTRUCTIVE, tail="An agent may run it without a person looking.")


RULE = Rule(
    code="SE005",
    slug="destructive-command",
    title="command destroys what cannot be restored",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.CRITICAL,
    hint="name the exact files below the working directory, or have the user confirm first",
    check=check,
    fires_on="openclaw/skills/skills/mkrdiop/moltbot-docker",
    silent_on="openclaw/skills/skills/mkrdiop/docker-diag",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```bash\nls\nrm -rf ~/\n```\n")}, lines=(9,)),
        Example(
            files={"SKILL.md": manifest(), "scripts/clean.sh": "#!/bin/sh\nsudo dd if=x of=/dev/sda\n"},
            lines=(2,),
            path="scripts/clean.sh",
        ),
        Example(
            files={"SKILL.md": manifest(), "scripts/a.py": "import subprocess\nsubprocess.run(['rm', '-rf', '/'])\n"},
            lines=(2,),
            path="scripts/a.py",
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n```bash\nrm -f out.pdf && rm -rf build /tmp/x\necho 'rm -rf /'\n```\n"
                )
            }
        ),
    ),
)
