"""waza's `trigger_tests.yaml`: prompts that should trigger the skill, and prompts that should not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import reading
from aces_ci.ports.dialect import Document, Reading

_LISTS = {"should_trigger_prompts": True, "should_not_trigger_prompts": False}
_KNOWN = frozenset({"prompt", "id"})


@dataclass(frozen=True, slots=True)
class WazaTriggers:
    """Claimed by either list."""

    name: str = "waza-triggers"
    checked: str = "microsoft/waza `examples/code-explainer/trigger_tests.yaml` at 091a1f9"

    def claims(self, document: Document) -> bool:
        """One of the two lists."""
        return isinstance(document.data, Mapping) and any(key in document.data for key in _LISTS)

    def read(self, document: Document) -> Reading:
        """One case a prompt; reasons stay with it."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, frozenset({"skill", *_LISTS}))
        cases = []
        for key, wanted in _LISTS.items():
            rows = data.get(key)
            if rows is not None and not isinstance(rows, list):
                notes.error(f"/{key}", f"`{key}` is {kind_of(rows)}, not a list", "write a list of {prompt}")
                continue
            for number, row in enumerate((rows or [])[:CASE_LIMIT], start=1):
                case = _case(row, key, wanted, notes, number)
                if case is not None:
                    cases.append(case)
        return reading(notes, cases)


def _case(row: object, key: str, wanted: bool, notes: Notes, number: int) -> Case | None:
    at = f"/{key}/{number - 1}"
    given = {"prompt": row} if isinstance(row, str) else row
    if not isinstance(given, Mapping):
        notes.error(at, f"item {number} is {kind_of(row)}, not an object", "write {prompt}")
        return None
    prompt = _values.text_at(given, "prompt", notes, at)
    if prompt is None:
        notes.error(at, f"item {number} has no prompt", "write the task under `prompt`")
        return None
    identity = _values.case_id(given.get("id", f"{'trigger' if wanted else 'stay-out'}-{number}"), notes, at, number)
    if identity is None:
        return None
    return Case(
        id=identity,
        prompt=prompt,
        trigger=wanted,
        expected_skill=notes.document.skill_name if wanted else None,
        bucket=Bucket.IMPLICIT if wanted else Bucket.NEGATIVE,
        provenance=f"{notes.document.path}#{at}",
        unmapped=notes.unknown(given, _KNOWN),
    )


DIALECT = WazaTriggers()
