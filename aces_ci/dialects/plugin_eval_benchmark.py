"""OpenAI's plugin-eval benchmark (`kind: plugin-eval-benchmark`): scenarios with a user's input and a checklist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._typed import case_id, prompt_at, texts_at
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

        def read(row: Mapping[str, Any], at: str, number: int) -> list[Case]:
            identity = case_id(row.get("id"), notes, at, number)
            prompt = prompt_at(row, "userInput", notes, at, f"scenario {number}")
            if identity is None or prompt is None:
                return []
            graded = Graded(notes)
            for text in texts_at(row, "successChecklist", notes, at):
                graded.sentence(text)
            case = Case(
                id=identity,
                prompt=prompt,
                behaviors=tuple(graded.behaviors),
                provenance=f"{document.path}#{at}",
                unmapped=notes.unknown(row, _KNOWN),
            )
            return [case]

        return reading(notes, each(data.get("scenarios"), notes, "/scenarios", "{id, userInput}", read))


DIALECT = PluginEvalBenchmark()
