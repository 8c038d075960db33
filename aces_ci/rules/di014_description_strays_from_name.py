"""The description takes up no word of the skill's name or title.

Name and description are all that an agent sees before it chooses. Where they share no word, either the
description belongs to another skill, or it leaves out the very word a user would type: `systematic-debugging` that
never says *debug* is chosen by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.lexis import stems
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import DESCRIPTION, manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

LONG = 4
"""Letters from which one word within another counts as the same: `geo` in `geology` says nothing."""


def check(skill: Skill) -> Iterator[Problem]:
    headings = outline(skill.body).headings
    name = (skill.name or skill.directory).replace("-", " ").replace("_", " ")
    called = stems(name) | stems(headings[0].text if headings else "")
    told = stems(skill.description or "")
    same_script = not told or any(word.isascii() for word in told) == any(word.isascii() for word in called)
    if not called or not same_script or any(_same(one, other) for one in called for other in told):
        return
    assert skill.frontmatter is not None
    entry = skill.frontmatter.get("description")
    yield Problem(
        message=f"The description shares no word with the skill's name, {skill.name or skill.directory}.",
        line=entry.at_key.line if entry else 1,
        quiet=not told,  # DI001 says that it says nothing
    )


def _same(one: str, other: str) -> bool:
    return one == other or (len(one) >= LONG and one in other) or (len(other) >= LONG and other in one)


RULE = Rule(
    code="DI014",
    slug="description-strays-from-name",
    title="description takes up no word of the name",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="say in the description what the name says, in a user's words; or check that it is this skill's",
    check=check,
    weight=12,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002", "SP005", "SP008"),
    explained_by=("DI009",),
    fires_on="obra/superpowers/skills/systematic-debugging",
    silent_on="obra/superpowers/skills/brainstorming",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Tide tables\n", description="Use when a bug or a test failure appears.")},
            lines=(3,),
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
