"""A long reference has no table of contents.

Agents look at the first lines of a long file and guess the rest. A list of its sections at the top tells them
where to read on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for path, file in sorted(skill.files.items()):
        if not path.startswith("references/") or not path.endswith(".md") or file.size < 12_000:
            continue
        lines = (file.text or "").split("\n")
        if len(lines) <= 300:
            continue
        head = "\n".join(lines[:40])
        if not re.search(r"(?i)contents|\]\(#|^toc\b|overview of sections", head):
            yield Problem(
                path=path, line=1, message=f"{path} has {len(lines)} lines and no list of its sections at the top."
            )


RULE = Rule(
    code="EF010",
    slug="long-reference-without-contents",
    title="long reference has no contents list",
    dimension=Dimension.EFFICIENCY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="list its sections in the first lines",
    check=check,
    weight=2,
    cap=6,
    fires_on="wshobson/agents/plugins/backend-development/skills/microservices-patterns",
    silent_on="obra/superpowers/skills/systematic-debugging",
    examples=(
        Example(
            files={
                "SKILL.md": manifest(),
                "references/rates.md": "# Rates\n" + "One row of the table of rates.\n" * 420,
            },
            lines=(1,),
            path="references/rates.md",
        ),
        Example(
            files={
                "SKILL.md": manifest(),
                "references/rates.md": "# Rates\n\n- [Post](#post)\n" + "One row of the table of rates.\n" * 420,
            }
        ),
    ),
)
