"""Requests that the skill itself names do not lead to it.

Prompts of its evals that call for the skill, and phrases in quotes that "the user says", are matched by words
against name and description, beside those of its neighbours. A request that shares no word with the card, or that
a neighbour matches better, will often not reach the skill. The words of such requests that the card lacks are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import STOP, stem, words
from aces_ci.core.reading.routing import card, rank, requests
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

LEAST = 3
QUOTED = 70
"""Characters of a request that a fix shows."""


def check(skill: Skill) -> Iterator[Problem]:
    entry = (skill.frontmatter or {}).get("description")
    asked = requests(skill)
    if entry is None or len(asked) < LEAST:
        return
    cards = [card(skill.name or "", skill.description or "")]
    cards += [card(sibling.name, sibling.description) for sibling in skill.siblings]
    missed: list[str] = []
    rivals: Counter[str] = Counter()
    for request in asked:
        mine, *others = rank(request, cards)
        best = max(others, default=0.0)
        if mine == 0.0 or best > 1.25 * mine:
            missed.append(request)
            if best > mine:
                rivals[skill.siblings[others.index(best)].name] += 1
    lacking: Counter[str] = Counter()
    for request in missed:
        lacking.update(
            {word for word in words(request) if word not in STOP and len(word) > 3 and stem(word) not in cards[0]}
        )
    share = len(missed) / len(asked)
    rival = f"; {rivals.most_common(1)[0][0]} matches them better" if rivals else ""
    often = [word for word, count in lacking.most_common(4) if count > 1]
    # One word of one request is chance; then the request itself says more.
    hint = f"take up their words: {', '.join(often)}" if often else _such_as(missed)
    for problem in graded(
        share if share >= 0.2 else 0.0,
        8,
        message=f"{len(missed)} of {len(asked)} requests that the skill itself names share too little with its "
        f"description{rival}.",
        title="some of its own requests do not lead to it" if share < 1 else None,
        line=entry.at_key.line,
        quiet=0.34,
        loud=0.6,
    ):
        yield replace(problem, hint=hint)


def _such_as(missed: list[str]) -> str:
    if not missed:
        return RULE.hint
    request = " ".join(missed[0].split())
    return f'name such requests: "{request if len(request) <= QUOTED else request[: QUOTED - 1] + "…"}"'


RULE = Rule(
    code="DI022",
    slug="own-requests-miss-the-card",
    title="its own requests do not lead to it",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="take up the words of these requests",
    check=check,
    requires=("SP001", "SP002", "SP008"),
    confidence=Confidence.MEDIUM,
    fires_on="oaustegard/claude-skills/making-waffles",
    silent_on="getsentry/skills/skills/claude-settings-audit",
    examples=(
        Example(
            files={
                "SKILL.md": manifest(
                    '# Sample\n\nThe user says "total my bookings by month", "what did we spend on travel" or '
                    '"which invoices are still open".\n'
                )
            },
            lines=(3,),
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    '# Sample\n\nThe user says "export my ledger please", "give me the ledger as CSV" or '
                    '"a table of the ledger".\n'
                )
            }
        ),
    ),
)
