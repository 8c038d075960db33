"""The body never mentions what the description promises.

The content words of the description are looked for in the body, by stem. Filler, a stuffed skeleton or the
wrong file pasted in share almost none of them; a real body shares most. Where more than half are missing, the
description is probably another skill's, and costs more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading import topic
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import stem, stemmed, words
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

MOST, LOUD = 18.0, 0.75
STRANGE, FOREIGN, STUB, BODY = 0.5, 24.0, 30, 60
"""From this share of missing words on the description is probably of another skill; what that costs at most more,
in full where the body has `BODY` words of its own and not at all up to `STUB`: a stub is no other skill's body."""


def check(skill: Skill) -> Iterator[Problem]:
    promised = topic.promised(skill.description or "")
    if not promised:
        # Nothing is promised, so nothing can be kept; DI001 says it to the reader.
        yield Problem(message="The description promises nothing.", line=skill.opening, deduction=MOST, quiet=True)
        return
    told = stemmed(outline(skill.body).vocabulary)
    missing = promised - told
    names: list[str] = []
    for word in words(skill.description or ""):
        if stem(word) in missing and word not in names:
            names.append(word)
    share = len(missing) / len(promised)
    for problem in graded(
        share,
        MOST,
        quiet=0.45,
        loud=LOUD,
        message=f"Of {len(promised)} words in the description the body never takes up {len(missing)}: "
        f"{', '.join(names[:5])}.",
        title="body leaves out part of what the description says" if share < LOUD else None,
        line=skill.opening,
    ):
        own = min(1.0, max(0.0, (len(told) - STUB) / (BODY - STUB)))
        more = own * FOREIGN * max(0.0, share - STRANGE) / (1 - STRANGE)
        yield replace(problem, deduction=(problem.deduction or 0.0) + more)


RULE = Rule(
    code="CO021",
    slug="promise-unmet-by-body",
    title="body leaves out what the description promises",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="say how to do each of these, or take them out of the description",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002", "SP008"),
    fires_on="sickn33/antigravity-awesome-skills/skills/conductor-validator",
    silent_on="obra/superpowers/skills/brainstorming",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nBe careful and do good work.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# Ledger\n\nConvert a ledger export to a CSV table.\n")}),
    ),
)
