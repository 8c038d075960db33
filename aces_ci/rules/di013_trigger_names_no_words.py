"""The trigger is there but names nothing a user would say.

"Use when needed" matches no request. The words after the trigger are compared with those before it: a trigger
helps by what it adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import stems
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_TRIGGER = re.compile(
    r"(?i)\b(?:use (?:this|it|when|for|if|to|before|after|during|whenever)|used (?:when|for)|when(?:ever)?\b|"
    r"trigger\w*|invoke[ds]?|activat\w+)"
)
ENOUGH = 12


def check(skill: Skill) -> Iterator[Problem]:
    text = skill.description or ""
    match = _TRIGGER.search(text)
    entry = (skill.frontmatter or {}).get("description")
    if match is None or entry is None:
        return
    said = stems(text[match.end() :])
    yield from graded(
        shortfall(len(said), ENOUGH),
        12,
        message=f"After its trigger the description names {plural(len(said), 'thing')} a user would say.",
        title="trigger names few words of a user" if said else None,
        line=entry.at_key.line,
    )


RULE = Rule(
    code="DI013",
    slug="trigger-names-no-words",
    title="trigger names no words of a user",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint='after "Use when", list file types, tools and phrases that a request would hold',
    check=check,
    requires=("SP001", "SP002", "SP008", "DI012"),
    fires_on="anthropics/skills/template",
    silent_on="getsentry/skills/skills/skill-writer",
    examples=(
        Example(files={"SKILL.md": manifest(description="Converts ledgers. Use when needed.")}, lines=(3,)),
        Example(
            files={
                "SKILL.md": manifest(
                    description="Converts ledgers. Use when the user mentions Acme Books, a .ldg file, a journal, "
                    "postings, account totals or a CSV export of bookings."
                )
            }
        ),
    ),
)
