"""Trigger sets: `[{query, should_trigger}]`, under any file name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._typed import case_id, flag_at, prompt_at
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset({"id", "query", "should_trigger"})


@dataclass(frozen=True, slots=True)
class TriggerSet:
    """Routing alone: no reference answer, no assertion."""

    name: str = "trigger-set"
    checked: str = (
        "anthropics/claude-plugins-official "
        "`plugins/math-olympiad/skills/math-olympiad/evals/trigger_eval.json` at 340e33a"
    )

    def claims(self, document: Document) -> bool:
        """A list whose items have `query` and `should_trigger`."""
        return is_rows(document.data, lambda row: "query" in row and "should_trigger" in row)

    def read(self, document: Document) -> Reading:
        """One case a query."""
        notes = Notes(document)

        def read(row: Mapping[str, Any], at: str, number: int) -> list[Case]:
            query = prompt_at(row, "query", notes, at, f"item {number}")
            wanted = flag_at(row, "should_trigger", notes, at)
            if row.get("should_trigger") is None:
                notes.error(at, f"item {number} does not say whether it triggers", "write {query, should_trigger}")
            identity = case_id(row.get("id", f"trigger-{number}"), notes, at, number)
            if query is None or wanted is None or identity is None:
                return []
            case = Case(
                id=identity,
                prompt=query,
                trigger=wanted,
                expected_skill=document.skill_name if wanted else None,
                bucket=Bucket.IMPLICIT if wanted else Bucket.NEGATIVE,
                provenance=f"{document.path}#{at}",
                unmapped=notes.unknown(row, _KNOWN),
            )
            return [case]

        return reading(notes, each(document.data, notes, "", "{query, should_trigger}", read))


DIALECT = TriggerSet()
