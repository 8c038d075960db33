"""An install takes whatever is newest, from wherever it is found.

Code that runs at install time is the usual way into a machine. A branch instead of a commit, `@latest` fetched and
run at each use, a second index that anyone may publish to (dependency confusion), packages over plain http. Naming
a package without a version is common and only a note, one a file; a requirements file without versions is one too.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scripts.detectors.installs import find
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for install in find(skill):
        yield Problem(
            path=install.path,
            line=install.line,
            column=install.column,
            message=f"This {install.what}; what it brings can change between two runs.",
            severity=install.severity,
            confidence=install.confidence,
        )


RULE = Rule(
    code="SE012",
    slug="unpinned-install",
    title="installs code that is not pinned",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    hint="name an exact version or commit, from one index",
    check=check,
    fires_on="openclaw/skills/skills/anshumanbh/anshumanbh-qmd",
    silent_on="anthropics/skills/skills/claude-api",
    examples=(
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n```bash\npip install git+https://github.com/a/b\nnpx -y tides-cli@latest\n"
                    "pip install --extra-index-url https://pkg.tides.dev x\n```\n"
                )
            },
            lines=(8, 10, 9),
        ),
        Example(
            files={"SKILL.md": manifest(), "scripts/setup.sh": "#!/bin/sh\npip install rich==14.0.0 click\nnpm ci\n"},
            lines=(2,),
            path="scripts/setup.sh",
        ),
        Example(
            files={"SKILL.md": manifest(), "scripts/requirements.txt": "rich\nclick==8.1.7\n"},
            lines=(1,),
            path="scripts/requirements.txt",
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n```bash\npip install rich==14.0.0\nnpx -y tides-cli@1.2.3\nnpm ci\n"
                    "pip install -r requirements.txt\npip install git+https://github.com/a/b@"
                    + "0a1b2c3d" * 5
                    + "\n```\n"
                )
            }
        ),
    ),
)
