"""A script is named, but no command line shows how to run it.

An agent that has to guess arguments reads the source first, or guesses wrong. One line in a code block, with
real arguments, or an import, is enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.reference import imports, scripts
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    shown = "\n".join(code.content for code in parts.codes)
    lines = [text for text, _ in parts.spans if " " in text]
    for path in scripts(skill):
        name = path.rsplit("/", 1)[-1]
        at = next((number for number, line in enumerate(parts.lines, 1) if name in line), None)
        called = name in shown or imports(path).search(shown) or any(name in text for text in lines)
        if at is not None and not called:
            yield Problem(message=f"`{path}` is named, but no command line shows how to run it.", line=skill.at(at))


RULE = Rule(
    code="CO030",
    slug="script-without-command-line",
    title="script is named without a command line",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="show one call with real arguments in a code block",
    check=check,
    weight=4,
    cap=10,
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
    ),
)
