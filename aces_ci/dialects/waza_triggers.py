"""waza's `trigger_tests.yaml`: prompts that should trigger the skill, and prompts that should not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aces_ci.core.suites.case import Bucket, Case
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._typed import case_id, list_at, prompt_at
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
        cases: list[Case] = []
        for key, wanted in _LISTS.items():
            rows = [{"prompt": row} if isinstance(row, str) else row for row in list_at(data, key, notes, "")]
            cases += each(rows, notes, f"/{key}", "{prompt}", partial(_cases, notes, wanted))
        return reading(notes, cases)


def _cases(notes: Notes, wanted: bool, row: Mapping[str, Any], at: str, number: int) -> list[Case]:
    prompt = prompt_at(row, "prompt", notes, at, f"item {number}")
    identity = case_id(row.get("id", f"{'trigger' if wanted else 'stay-out'}-{number}"), notes, at, number)
    if identity is None or prompt is None:
        return []
    case = Case(
        id=identity,
        prompt=prompt,
        trigger=wanted,
        expected_skill=notes.document.skill_name if wanted else None,
        bucket=Bucket.IMPLICIT if wanted else Bucket.NEGATIVE,
        provenance=f"{notes.document.path}#{at}",
        unmapped=notes.unknown(row, _KNOWN),
    )
    return [case]


DIALECT = WazaTriggers()
