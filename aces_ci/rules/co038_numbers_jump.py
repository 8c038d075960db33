"""Numbered sections or steps leave numbers out.

After "Step 2" comes "Step 5": what stood between was lost, or the rest is another text's. An agent that counts its
steps stops, or looks for what is not there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_HEADING = re.compile(
    r"^(?:(?P<word>step|phase|stage|part|section) )?(?P<first>\d{1,2})[a-z]?(?:\s?[-\u2013]\s?(?P<last>\d{1,2})[a-z]?)?"
    r"(?:[.):]\s|\s*[\u2014\u2013-]\s|:|$)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^(\d{1,2})[.)] ", re.MULTILINE)


def check(skill: Skill) -> Iterator[Problem]:
    for line, now, before in sorted([*_headings(skill), *_items(skill)]):
        yield Problem(message=f"Number {now} follows on number {before}.", line=skill.at(line))


def _headings(skill: Skill) -> Iterator[tuple[int, int, int]]:
    """Line, number and the number before it, of headings on one level below one parent."""
    last: dict[tuple[int, str], int] = {}
    for heading in outline(skill.body).headings:
        for key in [key for key in last if key[0] > heading.level]:
            del last[key]
        match = _HEADING.match(heading.text)
        if match:
            word = (match["word"] or "").lower()
            now, before = int(match["first"]), last.get((heading.level, word))
            if before is not None and now > before + 1:
                yield heading.line, now, before
            last[heading.level, word] = max(now, int(match["last"] or 0))


def _items(skill: Skill) -> Iterator[tuple[int, int, int]]:
    """The same of numbered lines that are not indented, below one heading."""
    rows = list(_ITEM.finditer(skill.body))
    if len(rows) < 2:
        return
    parts = outline(skill.body)
    heads = [heading.line for heading in parts.headings]
    code = [(block.line, block.end_line) for block in parts.codes]
    last, under, at, start = 0, 0, 1, 0
    for row in rows:
        at, start = at + skill.body.count("\n", start, row.start()), row.start()
        if any(first <= at <= end for first, end in code):
            continue
        now, below = int(row[1]), bisect_left(heads, at)
        if below == under and last and now > last + 1:
            yield at, now, last
        last, under = now, below


RULE = Rule(
    code="CO038",
    slug="numbers-jump",
    title="numbers of steps or sections jump",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="number them without a gap, or write what is missing",
    check=check,
    weight=5,
    cap=15,
    requires=("SP001", "SP002", "CO026"),
    fires_on="openclaw/skills/skills/guows520/permanent-note-generator",
    silent_on="getsentry/skills/skills/pr-writer",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\n1. Read the ledger.\n2. Sum it.\n5. Print the sums.\n")},
            lines=(9,),
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\n## Step 1: Read\n\nRead it.\n\n## Step 4: Print\n\nPrint it.\n")},
            lines=(11,),
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n## 1. Read\n\n1. Read.\n1. Sum.\n\n## 2a. Sum\n\nSum.\n\n## 3-4. Print\n\nPrint.\n\n"
                    "## 5. Mail\n\n```\n1. a\n9. b\n```\n"
                )
            },
            why="one number for all, letters, a range, and code",
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\n## Read\n\n1. Read.\n2. Sum.\n\n## Print\n\n5. Print.\n6. Mail.\n")
            },
            why="another list below the next heading",
        ),
    ),
)
