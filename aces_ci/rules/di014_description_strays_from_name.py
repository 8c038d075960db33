"""The description fits neither the name nor the body.

Name and description are all that an agent sees before it chooses. Compared are the words of name and title, the body's
most frequent words, and the share of the description that the body takes up at all. One that fails two of them belongs
to another skill, or leaves out the very word a user would type; a terse one that fails the first alone loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import stemmed, stems
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import DESCRIPTION, manifest
from aces_ci.core.reading.topic import strangeness
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

STUB = 30
"""Distinct words up to which a body cannot tell."""
ORDINARY, CERTAIN = 0.4, 1.0
"""Mean strangeness that a terse description may have, and that from which on all points go."""


def check(skill: Skill) -> Iterator[Problem]:
    found = strangeness(skill)
    entry = (skill.frontmatter or {}).get("description")
    if entry is None or found is None or not stems(skill.description or ""):
        return  # DI001 says that it says nothing
    if not found.card and len(stemmed(outline(skill.body).vocabulary)) < STUB:
        return  # it fits the name, and there is nothing else to hold it against
    strange = (found.card + found.promise + found.described) / 3
    yield from graded(
        min(1.0, (strange - ORDINARY) / (CERTAIN - ORDINARY)),
        36,
        quiet=0.5,
        loud=0.8,
        message=f"The description shares {'no word with the name, and ' if found.card else ''}few words with the body.",
        title=None if found.card else "description shares few words with the body",
        line=entry.at_key.line,
    )


_TIDES = """# Tide tables

Compute high and low water for a harbour: read the harbour's constituents, sum the cosines, mark where the water is
high and where it is low.
"""


RULE = Rule(
    code="DI014",
    slug="description-strays-from-name",
    title="description fits neither the name nor the body",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="say in the description what the name says, in a user's words; or check that it is this skill's",
    check=check,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002", "SP005", "SP008", "DI009"),
    fires_on="obra/superpowers/skills/requesting-code-review",
    silent_on="obra/superpowers/skills/systematic-debugging",
    explained_by=("CO019",),
    examples=(
        Example(
            files={"SKILL.md": manifest(_TIDES, description="Use when a bug or a test failure appears.")}, lines=(3,)
        ),
        Example(
            files={"SKILL.md": manifest(_TIDES, description="Use when high and low water at a harbour are asked for.")},
            why="a terse description that shares no word with the name",
        ),
        Example(files={"SKILL.md": manifest("# Ledger export\n", description=DESCRIPTION)}),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Tide tables\n", description="Computes timetables of the sea from a port's name."
                )
            },
            why="a word within a word",
        ),
        Example(
            files={"SKILL.md": manifest("# Tide tables\n", description="潮汐の時刻を港の名前から計算します。")},
            why="another script",
        ),
    ),
)
