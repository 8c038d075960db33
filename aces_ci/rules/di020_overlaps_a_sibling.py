"""The description says nearly what a neighbour's says.

Two skills side by side whose names and descriptions share most of their content words are picked by chance. The
finding names the neighbour, and words of this skill's own body that the neighbour never uses.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.lexis import jaccard
from aces_ci.core.reading.routing import apart, card
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH, SHARE = 5, 0.6


def check(skill: Skill) -> Iterator[Problem]:
    mine = card(skill.name or "", skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if len(mine) < ENOUGH or entry is None:
        return
    worst, nearest = 0.0, None
    for sibling in skill.siblings:
        other = card(sibling.name, sibling.description)
        if len(other) < ENOUGH:
            continue
        share = jaccard(mine, other)
        if share > worst:
            worst, nearest = share, sibling
    if nearest is not None and worst >= SHARE:
        own = apart(skill, nearest)
        yield Problem(
            message=f"The description shares {round(100 * worst)} % of its words with {nearest.name}'s; an agent "
            "picks between the two by chance.",
            hint=f"say what only this one does, for example {', '.join(own)}" if own else "merge the two skills",
            line=entry.at_key.line,
        )


RULE = Rule(
    code="DI020",
    slug="overlaps-a-sibling",
    title="description is nearly a neighbour's",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="say what only this one does",
    check=check,
    fires_on="NVIDIA/skills/skills/nvidia-skill-finder",
    silent_on="anthropics/skills/skills/algorithmic-art",
    weight=10,
    requires=("SP001", "SP002", "SP008"),
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\nReads postings by account.\n")},
            siblings={
                "ledger-csv": "Converts a ledger export to CSV. Use when the user asks for ledger as a table sample."
            },
            lines=(3,),
        ),
        Example(
            files={"SKILL.md": manifest()}, siblings={"parcel-quote": "Quotes parcels. Use when a price is asked for."}
        ),
    ),
)
