"""The body gives few instructions.

Counted are steps, list items and sentences that begin with a verb or bind it ("must", "always"), where they
hold at least three words. Steps are what an agent can carry out in order and tick off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ENOUGH = 400
_VERBS = vocabulary(
    """add apply ask assign avoid build call capture change check choose clone close collect compare
    compute confirm connect convert copy create decide define delete deploy describe design detect
    determine document download draft edit enable ensure enter execute explain export extract fetch fill
    filter find fix follow format generate get group identify implement import include insert inspect
    install keep launch limit list load locate log look make map mark measure merge move name never note
    open parse pass pick place plan post prefer prepare present print produce provide pull push put
    query read record remove rename replace report request resolve restart retry return review rewrite
    run save scan search select send set show skip sort specify split start stop store submit suggest
    summarize summarise switch tell test track translate treat try turn update upload use validate
    verify wait walk watch wrap write"""
)
_BINDING = frozenset({"must", "always", "never", "should", "don't", "do not", "need to", "required to"})
_BREAK = re.compile(r"[.!?:;]\s+|\n|\*\*|: |\u2014 |^")


def check(skill: Skill) -> Iterator[Problem]:
    found = 0.0
    for part in outline(skill.body).told:
        if part.kind == "cell" or part.text.count(" ") < 2:
            continue
        bound = 0 if _BINDING.isdisjoint(part.vocabulary) else 1
        acts = 0
        if not _VERBS.isdisjoint(part.vocabulary):
            first = (piece.split(None, 1)[:1] for piece in _BREAK.split(part.text))
            acts = sum(1 for word in first if word and word[0].strip("`*_,").lower() in _VERBS)
        found += min(acts + bound, 4) + (0.5 if part.kind == "step" else 0.25 if part.kind == "item" else 0.0)
    yield from graded(
        shortfall(found, ENOUGH),
        11,
        message=f"The body holds about {plural(round(found), 'instruction')} that an agent could carry out.",
        line=skill.opening,
        quiet=0.7,
        loud=0.85,
    )


RULE = Rule(
    code="RE005",
    slug="few-instructions",
    title="body gives few instructions",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the work as steps that begin with a verb",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="openclaw/skills/skills/dboy233/amap",
    silent_on="getsentry/skills/skills/django-perf-review",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nLedgers are books of accounts.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n" + "1. Read the next ledger file.\n" * 20)}),
    ),
)
