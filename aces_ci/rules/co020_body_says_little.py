"""The body says little.

Distinct content words are counted, in text and code, without function words and repetition, so headings, filler
and padding do not help. The scale is logarithmic: each halving of what is said costs about the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import stemmed
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 3000


def check(skill: Skill) -> Iterator[Problem]:
    found = len(stemmed(outline(skill.body).vocabulary))
    message = f"The body uses {plural(found, 'distinct content word')}; there is little for an agent to act on."
    if not skill.body.strip():
        message = "The body is empty: the skill tells an agent nothing that the description did not."
    yield from graded(shortfall(found, ENOUGH), 12, message=message, line=skill.opening, quiet=0.45, loud=0.6)


RULE = Rule(
    code="CO020",
    slug="body-says-little",
    title="body says little",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the steps, the commands and the facts that an agent does not know by itself",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="vercel-labs/agent-skills/skills/web-design-guidelines",
    silent_on="getsentry/skills/skills/pr-link-issue",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nUse it.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("")}, lines=(4,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n" + " ".join(f"w{chr(97 + i % 26)}{chr(97 + i // 26)}rd" for i in range(400))
                )
            }
        ),
    ),
)
