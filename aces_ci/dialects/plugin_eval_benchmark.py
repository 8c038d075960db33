"""OpenAI's plugin-eval benchmark (`kind: plugin-eval-benchmark`): scenarios with a user's input and a checklist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import reading
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"kind", "schemaVersion", "targetKind", "targetName", "scenarios", "notes"})
_KNOWN = frozenset({"id", "title", "userInput", "successChecklist"})


@dataclass(frozen=True, slots=True)
class PluginEvalBenchmark:
    """Claimed by its `kind`."""

    name: str = "plugin-eval-benchmark"
    checked: str = "openai/plugins `plugins/plugin-eval/src/core/benchmark.js` at 3fdeeb4"

    def claims(self, document: Document) -> bool:
        """The one `kind`."""
        return isinstance(document.data, Mapping) and document.data.get("kind") == "plugin-eval-benchmark"

    def read(self, document: Document) -> Reading:
        """One case a scenario; the checklist is judged, line by line."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        rows = data.get("scenarios")
        if not isinstance(rows, list):
            notes.error("/scenarios", f"`scenarios` is {kind_of(rows)}, not a list", "write a list")
            return reading(notes, [])
        cases = []
        for number, row in enumerate(rows[:CASE_LIMIT], start=1):
            at = f"/scenarios/{number - 1}"
            if not isinstance(row, Mapping):
                notes.error(at, f"scenario {number} is {kind_of(row)}, not an object", "write {id, userInput}")
                continue
            identity = _values.case_id(row.get("id"), notes, at, number)
            prompt = _values.text_at(row, "userInput", notes, at)
            if prompt is None:
                notes.error(at, f"scenario {number} has no userInput", "write the task under `userInput`")
            if identity is None or prompt is None:
                continue
            graded = Graded(notes)
            for text in _values.texts_at(row, "successChecklist", notes, at):
                graded.sentence(text)
            cases.append(
                Case(
                    id=identity,
                    prompt=prompt,
                    behaviors=tuple(graded.behaviors),
                    provenance=f"{document.path}#{at}",
                    unmapped=notes.unknown(row, _KNOWN),
                )
            )
        return reading(notes, cases)


DIALECT = PluginEvalBenchmark()
