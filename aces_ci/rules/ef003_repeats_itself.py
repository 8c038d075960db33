"""The body says the same lines again.

Repeated lines cost tokens at every use and double what has to be changed. Blank lines, rules, fences, table rules
and lines of one or two words do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    total, again, where, what = 0, 0, 0, ""
    for number, line in enumerate(skill.body.split("\n"), start=1):
        text = line.strip()
        if len(text) < 16 or not text.strip("|-=_*:+#.~ "):
            continue
        total += 1
        if text in seen:
            again += 1
            if not where:
                where, what = number, text
        seen.setdefault(text, number)
    if again:
        yield from graded(
            min(1.0, again / total * 2.2),
            45,
            quiet=0.25,
            message=f"{again} of {total} lines stand there twice, first of all {what[:50]!r}.",
            line=skill.at(where),
        )


RULE = Rule(
    code="EF003",
    slug="repeats-itself",
    title="body repeats its lines",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="say it once, and refer to it",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/backend-development/skills/cqrs-implementation",
    silent_on="getsentry/skills/skills/skill-writer",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "Convert the ledger to a table.\n" * 6)}, lines=(8,)),
        Example(files={"SKILL.md": manifest("# Sample\n\nConvert the ledger to a table.\n\nThen read the sums.\n")}),
    ),
)
