"""A script goes on after a failure.

A shell script without `set -e` (or `|| exit`) exits 0 although a line failed, and a bare `except: pass` throws
the reason away. The agent reads success.
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
        lines = text.split("\n")
        if path.endswith((".sh", ".bash")):
            commands = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
            guarded = re.search(r"set -[a-z]*e|\|\| *(?:exit|return|die|\{)|exit \"?\$\?|&& *\\?$", text)
            if len(commands) > 3 and not guarded:
                yield Problem(
                    path=path,
                    line=1,
                    message=f"{path} goes on after a command fails and then reports success.",
                    hint="add `set -euo pipefail` at its top",
                )
        elif path.endswith(".py"):
            for number, line in enumerate(lines[:-1], start=1):
                if re.match(r"\s*except(?: Exception| BaseException)?(?: as \w+)?:\s*(?:pass\s*)?$", line) and (
                    line.rstrip().endswith("pass") or lines[number].strip() in ("pass", "continue")
                ):
                    yield Problem(
                        path=path,
                        line=number,
                        message=f"{path} throws a failure away here without a word.",
                        hint="print what failed to stderr and exit with a code other than 0",
                    )
                    break


RULE = Rule(
    code="RE008",
    slug="script-hides-failure",
    title="script goes on after a failure",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="stop at the first failure, with a message and an exit code",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/1va7/skill-refiner at 1e90d60",
    silent_on="anthropics/skills/skills/doc-coauthoring",
    weight=4,
    cap=8,
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/go.sh": "#!/bin/sh\ncd ledger\nls\nrm x\nls\n"},
            lines=(1,),
            path="scripts/go.sh",
        ),
        Example(
            files={"SKILL.md": manifest(), "scripts/go.py": "try:\n    run()\nexcept Exception:\n    pass\n"},
            lines=(3,),
            path="scripts/go.py",
        ),
        Example(files={"SKILL.md": manifest(), "scripts/go.sh": "#!/bin/sh\nset -e\ncd ledger\nls\nrm x\nls\n"}),
        Example(
            files={
                "SKILL.md": manifest(),
                "scripts/go.py": "try:\n    run()\nexcept OSError as error:\n    raise SystemExit(error)\n",
            }
        ),
    ),
)
