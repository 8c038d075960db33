"""OpenAI's `*.prompts.csv`: rows of `id, should_trigger, prompt`, with further columns in the wild."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aces_ci.core.suites.case import Bucket, Case
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._typed import case_id, prompt_at, text_at
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset({"id", "should_trigger", "prompt", "expected_outcome", "pass_criteria"})
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class OpenAIPrompts:
    """Claimed by rows whose `should_trigger` is text: only a CSV has that."""

    name: str = "openai-prompts-csv"
    checked: str = "https://developers.openai.com/blog/eval-skills, the prompt set of section 4"

    def claims(self, document: Document) -> bool:
        """Rows with `prompt` and a textual `should_trigger`."""
        return is_rows(document.data, lambda row: "prompt" in row and isinstance(row.get("should_trigger"), str))

    def read(self, document: Document) -> Reading:
        """One case a row; the row's place is its line."""
        notes = Notes(document)
        read = partial(_cases, notes)
        return reading(notes, each(document.data, notes, "", "id, should_trigger, prompt", read))


def _cases(notes: Notes, row: Mapping[Any, Any], at: str, number: int) -> list[Case]:
    if None in row:
        notes.error(at, f"row {number} has more values than the head has columns", "quote values that hold commas")
        return []
    if any(value is None for value in row.values()):
        notes.error(at, f"row {number} has fewer values than the head has columns", "write a value for each column")
        return []
    wanted = _WORDS.get(str(row.get("should_trigger", "")).strip().casefold())
    prompt = prompt_at(row, "prompt", notes, at, f"row {number}")
    identity = case_id(row.get("id") or None, notes, at, number)
    if wanted is None:
        notes.error(at, f"row {number}: `should_trigger` is neither true nor false", "write true or false")
    if wanted is None or prompt is None or identity is None:
        return []
    graded = Graded(notes)
    criteria = text_at(row, "pass_criteria", notes, at)
    for part in (criteria or "").split(";"):
        if part.strip():
            graded.sentence(part, at=at)
    case = Case(
        id=identity,
        prompt=prompt,
        trigger=wanted,
        expected_skill=notes.document.skill_name if wanted else None,
        reference=text_at(row, "expected_outcome", notes, at),
        behaviors=tuple(graded.behaviors),
        bucket=None if wanted else Bucket.NEGATIVE,
        provenance=f"{notes.document.path}#{at}",
        unmapped=notes.unknown({key: value for key, value in row.items() if value != ""}, _KNOWN),
    )
    return [case]


DIALECT = OpenAIPrompts()
