"""The body shows little by example.

Code blocks, tables and quoted samples are counted where they hold something: the same line again, or a placeholder
in every line, shows nothing new. One worked example fixes more
misreadings than a paragraph about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 50
_HOLLOW = re.compile(r"(?:<[\w -]+>\s*)+|[.…\s]+")
"""A block that holds placeholders alone."""
MOST, NONE = 12.0, 4.5
"""Points in all, and those of them that go when there is no block at all."""


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    blocks = len({content for code in parts.codes if len(set((content := code.content.strip()).split())) >= 2})
    rows = sum(1 for part in parts.prose if part.kind == "cell" and len(part.text) > 3) / 6
    quoted = sum(1 for line in parts.lines if line.startswith("> ") and len(line) > 20) / 3
    inline = len({text for text, _ in parts.spans if " " in text}) / 4
    shown = blocks + min(rows, 4) + min(quoted, 3) + min(inline, 4)
    none = not any(code.content.strip() and not _HOLLOW.fullmatch(code.content.strip()) for code in parts.codes)
    yield from graded(
        (MOST - NONE) / MOST * shortfall(shown, ENOUGH) + (NONE / MOST if none else 0.0),
        MOST,
        message="The body shows no example of a command, an input or a result."
        if shown < 1
        else "The body shows few examples of commands, inputs or results.",
        line=skill.opening,
    )


RULE = Rule(
    code="CO022",
    slug="shows-no-example",
    title="body shows few examples",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="add a fenced block with a real command or a real input and its result",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="anthropics/skills/skills/frontend-design",
    silent_on="getsentry/skills/skills/skill-scanner",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Sample\n" + "\n```sh\n<command>\n<command>\n```\n" * 5)}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n" + "".join(f"\n```sh\nledger export --page {n}\n```\n" for n in range(5))
                )
            }
        ),
    ),
)
