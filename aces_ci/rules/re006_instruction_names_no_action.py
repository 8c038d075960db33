"""An instruction leaves the decision open.

"Handle errors appropriately" and "as needed" read like instructions and decide nothing: the agent does what it
would have done without the skill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_OPEN = re.compile(
    r"(?i)\b(as (?:needed|appropriate|necessary|required)|appropriately|accordingly|if necessary|properly|"
    r"when appropriate|in a suitable (?:manner|way)|best practices?|where applicable|as you see fit|"
    r"use (?:your )?(?:good )?judg\w+|"
    r"handle (?:errors|edge cases)(?: gracefully)?\.)"
)


_MARKS = vocabulary(
    """appropriate appropriately accordingly properly necessary needed required suitable best applicable
    fit judgment judgement handle"""
)


SHORT = 200
"""Words that a shorter body is taken to have: one such place does not spoil it whole."""


def check(skill: Skill) -> Iterator[Problem]:
    first, count, size, example = 0, 0, 0, ""
    for part in outline(skill.body).told:
        size += part.text.count(" ") + 1
        if _MARKS.isdisjoint(part.vocabulary):
            continue
        for match in _OPEN.finditer(part.text):
            count += 1
            if not first:
                first, example = skill.at(part.line_of(match.start())), match[0]
    if count:
        yield from graded(
            min(1.0, count / max(SHORT, size) * 120),
            7,
            message=f'"{example}" leaves the decision to the agent ({count} such place{"s" if count > 1 else ""}).',
            line=first,
        )


RULE = Rule(
    code="RE006",
    slug="instruction-names-no-action",
    title="instructions leave the decision open",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="say what to do in which case",
    check=check,
    requires=("SP001", "SP002"),
    fires_on="wshobson/agents/plugins/blockchain-web3/skills/nft-standards",
    silent_on="getsentry/skills/skills/claude-settings-audit",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nHandle errors gracefully. Retry as needed.\n")}, lines=(7,)),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nRetry three times, then stop and report the last message.\n")}
        ),
    ),
)
