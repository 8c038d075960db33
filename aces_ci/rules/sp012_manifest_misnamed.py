"""The manifest is not called SKILL.md.

Readers open `SKILL.md` by that name; on a file system that tells cases apart, `Skill.md` is another file. The
spelling `skill.md` is read by enough agents that it is only a warning (CO007).
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    if skill.manifest not in ("SKILL.md", "skill.md"):
        yield Problem(
            message=f"The file is called {skill.manifest}; agents look for SKILL.md and find no skill here.",
            whole_file=True,
        )


RULE = Rule(
    code="SP012",
    slug="manifest-misnamed",
    title="manifest is not called SKILL.md",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="rename it to SKILL.md",
    check=check,
    fires_on="openclaw/skills/skills/krishna3554/echo-agent",
    silent_on="anthropics/skills/skills/slack-gif-creator",
    examples=(
        Example(files={"Skill.md": manifest()}, lines=(1,)),
        Example(files={"SKILL.md": manifest()}),
        Example(files={"skill.md": manifest()}),
    ),
)
