"""A sentence breaks off in mid-air.

A text that ends with an article, an open bracket, a comma or a dash was cut: by a bad merge, by a limit on length, by a
generator that stopped. The agent guesses the rest. A lead-in to a list, a block or a quotation is fine, and so are
items that are written as one sentence; endings that can be right ("what to ask for") count where there are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.amount import plural
from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import Outline, Prose, outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_NEVER_LAST = vocabulary(
    "a an the and or but nor your my our their every because than unless although whereas via while whose"
)
_SELDOM_LAST = vocabulary(
    """to with for from by at of into onto if as that which is are was were been has have had will would shall should
    could may might must not no very its his this these about during per using without within between when where who"""
)
_LINKS = frozenset({"and", "or", "but", "nor"})
SURE, LIKELY = 1.0, 0.4
"""What a place counts: one that no whole sentence has, and one that some have."""
OFTEN = 0.08
"""Share of the texts from which on places of the second kind count: lists of questions end in them as well."""
FIRST, POWER, MOST = 3.5, 0.6, 40.0
"""Points of one sure place; `n` of them cost n ** POWER times as much, `MOST` in all."""
SHORT, BRIEF = 2, 20
"""A text with fewer blanks and fewer characters is taken for a label."""
_PAIRS = (("(", ")"), ("[", "]"), ("\uff08", "\uff09"), ("\u300c", "\u300d"), ("\u3010", "\u3011"))
_DANGLING = re.compile(r"(?:\s[-\u2013\u2014&+=]|[\u2014(\[\uff08\u300c,\uff0c\u3001])$")
_ENDS = frozenset("-\u2013\u2014&+=([\uff08\u300c,\uff0c\u3001")
_MARKS = re.compile(r"[`(\[\uff08\u300c\u3010]|\*\*")
TAIL = 80
"""Characters at the end of a text that are looked at for its last word."""
_QUOTED = re.compile(r'"[^"\n]{0,80}"')
_SMILEY = re.compile(r"[:;]-?[()\[\]]|^\s*(?:\d+|[a-zA-Z])\)|(?<=\s)(?:\d+|[a-zA-Z])\)")


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    told = [part for part in parts.told if part.kind != "cell"]
    found = [
        (sure, part)
        for before, part, following in zip([None, *told], told, [*told[1:], None], strict=False)
        if (sure := _broken(before, part, following, parts))
    ]
    if sum(sure < SURE for sure, _ in found) < OFTEN * len(told):
        found = [(sure, part) for sure, part in found if sure == SURE]
    weight, places = sum(sure for sure, _ in found), len(found)
    if weight < SURE:
        return
    first = max(found, key=lambda place: place[0])
    text = first[1].text
    after = repr(" ".join(text[-40:].split(" ", 1)[-1].split()))
    yield Problem(
        message=f"{plural(places, 'text')} break{'s' if places == 1 else ''} off or leave{'s' if places == 1 else ''} "
        f"a bracket open, first of all the one that ends with {after}.",
        line=skill.at(first[1].line_of(len(text))),
        deduction=min(MOST, FIRST * weight**POWER),
    )


def _broken(before: Prose | None, part: Prose, following: Prose | None, parts: Outline) -> float:
    """How surely a text ends before its sentence does."""
    text = part.text.rstrip()
    if len(text) < BRIEF and text.count(" ") < SHORT:
        return 0.0
    end = text[-TAIL:].rstrip("*_")
    last = end.rpartition(" ")[2].rpartition("\n")[2]
    dangling = end[-1:] in _ENDS and _DANGLING.search(end)
    if dangling or last in _NEVER_LAST or last in _SELDOM_LAST:
        if _leads_in(part, text, following, parts) or _one_sentence(last, before, following):
            return 0.0
        item = part.kind != "paragraph" and last.endswith(",")
        return SURE if (dangling and not item) or last in _NEVER_LAST else LIKELY
    if not _MARKS.search(text) or not _open(part.plain):
        return 0.0
    wrapped = following is not None and parts.lines[following.line - 1].lstrip().startswith("+ ")
    return 0.0 if wrapped else SURE


def _open(text: str) -> bool:
    """Whether a bracket, a code span or a mark of emphasis is opened and never closed."""
    if text.count("`") % 2 or text.count("**") % 2:
        return True
    for opening, closing in _PAIRS if not text.isascii() else _PAIRS[:2]:
        if text.count(opening) > text.count(closing):
            plain = _SMILEY.sub(" ", _QUOTED.sub(" ", text))
            if plain.count(opening) > plain.count(closing):
                return True
    return False


def _leads_in(part: Prose, text: str, following: Prose | None, parts: Outline) -> bool:
    """Whether a block, a list below or a quotation goes on with the sentence."""
    end = part.line + text.count("\n")
    until = following.line if following else len(parts.lines) + 1
    if any(end < code.line <= until for code in parts.codes):
        return True
    if following is None:
        return False
    row = parts.lines[following.line - 1]
    here = parts.lines[part.line - 1]
    deeper = len(row) - len(row.lstrip()) > len(here) - len(here.lstrip())
    listed = following.kind in ("item", "step")
    return row.lstrip().startswith(">") or (listed and (deeper or part.kind == "paragraph"))


def _one_sentence(last: str, before: Prose | None, following: Prose | None) -> bool:
    """Whether items go on with one another: with commas, the last but one with "and"."""
    if last in _LINKS:
        return following is not None and following.kind in ("item", "step")
    return last.endswith(",") and any(
        beside is not None and beside.kind in ("item", "step") and beside.text.rstrip().endswith(",")
        for beside in (before, following)
    )


RULE = Rule(
    code="CO028",
    slug="sentence-breaks-off",
    title="a sentence breaks off",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="write the sentence to its end, or delete it",
    check=check,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002"),
    fires_on="openclaw/skills/skills/mpaicoding-byte/coding-agent-user-rules",
    silent_on="getsentry/skills/skills/pr-writer",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nRead the ledger, then convert the\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\n- Read the ledger (one\n- Sum it up\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\nRead the ledger, **then sum it.\n")}, lines=(7,)),
        Example(
            files={"SKILL.md": manifest("# Sample\n\n每个月读取账本并且按科目汇总金额（含税与手续费\n")}, lines=(7,)
        ),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\n- What the sum is for\n- Whom it comes from\n- Which it belongs to\n")
            },
            lines=(7,),
            why="endings that can be right, but not three in a row",
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\nThen run the\n\n```sh\nledger export\n```\n\nIt prints the\n\n- sum, and\n- month\n\n"
                    "Close with the\n\n> Done.\n"
                )
            },
            why="a lead-in",
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\n- read the ledger file,\n- sum it up by month,\n- print the sums here,\n- stop\n"
                )
            },
            why="items written as one sentence",
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nSay what the sum is for.\n\n1) Ask whom it belongs to\n")},
            why="one ending that can be right",
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nRead both (the ledger\n+ the journal) and sum them.\n")},
            why="a line that Markdown takes for an item",
        ),
    ),
)
