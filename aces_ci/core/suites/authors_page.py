"""`evals/EVAL.md`: what the author wants asked and seen, which outranks everything that is generated."""

from __future__ import annotations

import re
from dataclasses import dataclass

PATH = "evals/EVAL.md"
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_QUESTIONS = ("question", "prompt", "query", "queries", "scenario")
_BEHAVIORS = ("behavior", "behaviour", "expectation", "criteria")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What the page says, line by line."""

    questions: tuple[str, ...] = ()
    behaviors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def intent_of(text: str | None) -> Intent:
    """Headings sort the lines below them; lines that go on (indented) belong to the one above."""
    found: dict[str, list[str]] = {"questions": [], "behaviors": [], "notes": []}
    kind, fenced = "notes", False
    for line in (text or "").splitlines():
        if line.strip().startswith("```"):
            fenced = not fenced
            continue
        heading = None if fenced else _HEADING.match(line)
        if heading:
            said = heading[1].casefold()
            kind = next(
                (
                    name
                    for name, words in (("questions", _QUESTIONS), ("behaviors", _BEHAVIORS))
                    if any(word in said for word in words)
                ),
                "notes",
            )
        elif line.strip():
            rows = found[kind]
            if line[0].isspace() and rows and not _BULLET.match(line.strip()):
                rows[-1] = f"{rows[-1]} {line.strip()}"
            else:
                rows.append(_BULLET.sub("", line.strip(), count=1))
    return Intent(questions=tuple(found["questions"]), behaviors=tuple(found["behaviors"]), notes=tuple(found["notes"]))
