"""A script is named, but no command line shows how to run it.

An agent that has to guess arguments reads the source first, or guesses wrong. One line in a code block, with
real arguments, or an import, is enough; it may stand in a Markdown file of the skill that the manifest names.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import Outline, markup, outline
from aces_ci.core.reading.reference import imports, scripts
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

FIRST, NEXT = 4.0, 0.75
"""Points of the first such script, and what each further one costs of the one before it."""


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    points = FIRST
    for path in scripts(skill):
        name = path.rsplit("/", 1)[-1]
        at = next((number for number, line in enumerate(parts.lines, 1) if name in line), None)
        if at is not None and not _calls(parts, path) and not any(_calls(page, path) for page in _pages(skill, name)):
            yield Problem(
                message=f"`{path}` is named, but no command line shows how to run it.",
                line=skill.at(at),
                deduction=points,
            )
            points *= NEXT


def _calls(parts: Outline, path: str) -> bool:
    """Whether a block or a span of code holds a call of the script, or takes it in as a module."""
    name, imported = path.rsplit("/", 1)[-1], imports(path)
    return any(name in code.content or imported.search(code.content) for code in parts.codes) or any(
        name in text for text, _ in parts.spans if " " in text
    )


def _pages(skill: Skill, name: str) -> Iterator[Outline]:
    """The further Markdown files that the manifest names and that speak of the script."""
    for path, file in skill.files.items():
        if path.endswith(".md") and path != skill.manifest and path.rsplit("/", 1)[-1] in skill.body:
            text = file.text
            if text and name in text:
                yield markup(text)


RULE = Rule(
    code="CO030",
    slug="script-without-command-line",
    title="script is named without a command line",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="show one call with real arguments in a code block",
    check=check,
    cap=12,
    requires=("SP001", "SP002"),
    fires_on="openai/skills/skills/.curated/gh-address-comments",
    silent_on="getsentry/skills/skills/brand-guidelines",
    examples=(
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nThe work is done by scripts/export.py.\n"),
                "scripts/export.py": "print(1)\n",
            },
            lines=(7,),
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\n```sh\npython scripts/export.py --csv out.csv\n```\n"),
                "scripts/export.py": "print(1)\n",
            }
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nRun `scripts/export.py` (usage: `scripts/export.md`).\n"),
                "scripts/export.md": "# Export\n\n```sh\npython scripts/export.py --csv out.csv\n```\n",
                "scripts/export.py": "print(1)\n",
            },
            why="the page that it names shows the call",
        ),
    ),
)
