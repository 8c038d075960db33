"""Trigger sets: `[{query, should_trigger}]`, under any file name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.suites.case import Bucket, Case
from aces_ci.dialects import _values
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import is_rows, reading
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
        cases = []
        rows = document.data if isinstance(document.data, list) else []
        for number, row in enumerate(rows, start=1):
            at = f"/{number - 1}"
            if not isinstance(row, Mapping):
                notes.error(at, f"item {number} is {kind_of(row)}, not an object", "write {query, should_trigger}")
                continue
            query = _values.text_at(row, "query", notes, at)
            wanted = row.get("should_trigger")
            if query is None or not isinstance(wanted, bool):
                notes.error(at, f"item {number} lacks a query or true/false", "write {query, should_trigger}")
                continue
            identity = _values.case_id(row.get("id", f"trigger-{number}"), notes, at, number)
            if identity is None:
                continue
            cases.append(
                Case(
                    id=identity,
                    prompt=query,
                    trigger=wanted,
                    expected_skill=document.skill_name if wanted else None,
                    bucket=Bucket.IMPLICIT if wanted else Bucket.NEGATIVE,
                    provenance=f"{document.path}#{at}",
                    unmapped=notes.unknown(row, _KNOWN),
                )
            )
        return reading(notes, cases)


DIALECT = TriggerSet()
