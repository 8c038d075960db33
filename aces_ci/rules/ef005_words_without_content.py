"""The body spends words that carry nothing.

Corporate and hedging words ("leverage", "it is important to note", "basically") are tokens without information,
and hedges turn an instruction into an opinion. Three in a thousand words are free.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_EMPTY = vocabulary(
    """utilize utilizes utilized utilizing utilise leverage leverages leveraging facilitate facilitates
    synergy synergies paradigm holistic holistically seamless seamlessly comprehensive comprehensively
    robust basically essentially actually perhaps maybe quite really very overall powerful unlock
    elevate empower empowers delve"""
) | {
    "in order",
    "please note",
    "as mentioned",
    "kind of",
    "sort of",
    "is important",
    "is crucial",
    "is essential",
    "is worth",
    "might want",
    "could consider",
    "relevant aspects",
    "best practices",
}


def check(skill: Skill) -> Iterator[Problem]:
    count, size, first, example = 0, 0, 0, ""
    for part in outline(skill.body).told:
        size += part.text.count(" ") + 1
        if _EMPTY.isdisjoint(part.vocabulary):
            continue
        found = sorted(_EMPTY & part.vocabulary)
        count += len(found)
        if not first:
            first, example = skill.at(part.line_of(max(0, part.text.lower().find(found[0])))), found[0]
    excess = count - 0.004 * size
    if count and excess > 0:
        yield from graded(
            min(1.0, excess / max(size, 60) * 60),
            14,
            message=f'{count} words or phrases carry nothing, first of all "{example}".',
            line=first,
        )


RULE = Rule(
    code="EF005",
    slug="words-without-content",
    title="words carry no content",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="delete them, or say the fact behind them",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="sickn33/antigravity-awesome-skills/skills/csharp-pro",
    silent_on="getsentry/skills/skills/pr-link-issue",
    examples=(
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\nIt is important to note that we leverage synergies in order to export.\n"
                )
            },
            lines=(7,),
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\nExport the ledger as CSV.\n")}),
    ),
)
