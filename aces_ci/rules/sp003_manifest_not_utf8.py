"""The manifest is not UTF-8 text.

Strict readers refuse the file, lenient ones show replacement characters. UTF-16 (a PowerShell default) hides
the frontmatter from every reader. The text is read on here as well as it can be, so that other problems show.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for problem in skill.problems:
        if problem.kind in ("encoding", "utf16"):
            place = problem.place
            yield Problem(message=problem.message, hint=problem.hint, line=place.line, column=place.column)


RULE = Rule(
    code="SP003",
    slug="manifest-not-utf8",
    title="manifest is not UTF-8",
    dimension=None,
    category=Category.SPEC,
    severity=Severity.ERROR,
    hint="save the file as UTF-8",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/toniaczlog/voice-notes-pro at 1e90d60",
    silent_on="openclaw/skills/skills/guows520/permanent-note-generator",
    examples=(
        Example(files={"SKILL.md": manifest(description="caf\udce9")}, lines=(3,), why="the byte 0xE9 alone"),
        Example(files={"SKILL.md": manifest(description="Lists cafés. Use when asked for one.")}),
    ),
)
