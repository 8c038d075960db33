"""The description speaks as "I" or to "you".

It is put into a system prompt beside many others, where "I" is the agent and "you" is not the user. The third
person reads the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_PERSON = re.compile(
    r"(?i)(?<![\w\"'`“‘])(I can|I will|I'll|I am|we can|we will|you can|you should|you will|let me|my)\b"
)


def check(skill: Skill) -> Iterator[Problem]:
    text = re.sub(r"[\"“'‘`][^\"”'’`]{0,120}[\"”'’`]", " ", skill.description or "")
    match = _PERSON.search(text)
    entry = (skill.frontmatter or {}).get("description")
    if match and entry is not None:
        yield Problem(
            message=f'The description says "{match[1]}"; in an agent\'s prompt it is unclear who speaks.',
            line=entry.at_key.line,
        )


RULE = Rule(
    code="DI004",
    slug="description-speaks-in-person",
    title="description speaks in the first or second person",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint='write it in the third person: "Converts …", "Use when the user …"',
    check=check,
    weight=8,
    requires=("SP001", "SP002", "SP008"),
    fires_on="anthropics/skills/skills/internal-comms",
    silent_on="getsentry/skills/skills/code-review",
    examples=(
        Example(files={"SKILL.md": manifest(description="I can convert ledgers. Use when asked.")}, lines=(3,)),
        Example(files={"SKILL.md": manifest(description="Use when the user says 'I can not see my ledger'.")}),
    ),
)
