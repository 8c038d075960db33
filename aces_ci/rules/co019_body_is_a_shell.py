"""The body holds next to nothing.

Below some thirty distinct content words there is no skill, whatever its frontmatter and its headings say. Points
go in proportion, on top of what CO020 takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import stemmed
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 36


def check(skill: Skill) -> Iterator[Problem]:
    found = len(stemmed(outline(skill.body).vocabulary))
    message = f"The body holds {plural(found, 'distinct content word')}; an agent that opens it learns next to nothing."
    if not skill.body.strip():
        message = "The body is empty: an agent that opens the skill learns nothing."
    yield from graded(
        max(0.0, 1 - found / ENOUGH),
        50,
        message=message,
        line=skill.opening,
        quiet=0.25,
        loud=0.4,
    )


RULE = Rule(
    code="CO019",
    slug="body-is-a-shell",
    title="body holds next to nothing",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the steps, the commands and the facts that an agent does not know by itself",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="NVIDIA/SkillEvaluator/tests/fixtures/skills/simple",
    silent_on="getsentry/skills/skills/document-api-endpoint",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nUse it.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("")}, lines=(4,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n"
                    + " ".join(f"w{chr(97 + i)}rd" for i in range(26))
                    + " one two three " * 4
                    + "red blue green ledger export csv table sum book year\n"
                )
            }
        ),
    ),
)
