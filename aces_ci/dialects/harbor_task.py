"""Native Harbor tasks: a folder with `task.toml`, `instruction.md`, `environment/` and `tests/`.

The verifier of such a task is its own program; the sandbox of Harbor runs it. Here it gives the prompt, so that arms,
routing and judged behaviours apply to it, and says that the verifier stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects import _values
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._rows import reading
from aces_ci.dialects._siblings import below, folder_of, text_of
from aces_ci.ports.dialect import Document, Reading

_TABLES = ("verifier", "agent", "environment")
_KNOWN = frozenset({"version", "schema_version", "task", "metadata"})


@dataclass(frozen=True, slots=True)
class HarborTask:
    """Claimed by the tables of a `task.toml`."""

    name: str = "harbor-task"
    verified: bool = False

    def claims(self, document: Document) -> bool:
        """TOML with two of `verifier`, `agent`, `environment`."""
        data = document.data
        if not isinstance(data, Mapping) or not document.path.lower().endswith(".toml"):
            return False
        return sum(isinstance(data.get(name), Mapping) for name in _TABLES) >= 2 or (
            "instruction.md" in {path.rpartition("/")[2] for path in _beside(document)} and "metadata" in data
        )

    def read(self, document: Document) -> Reading:
        """One case: `metadata.entry_id`, else the folder's name, is the id."""
        notes = Notes(document)
        data: Any = document.data
        folder = folder_of(document.path)
        instruction = below(folder, "instruction.md")
        prompt = (text_of(document, instruction) or "").strip()
        if not prompt:
            notes.error("", f"{instruction} is missing or empty", "write the task there")
            return reading(notes, [])
        metadata = data.get("metadata")
        metadata = metadata if isinstance(metadata, Mapping) else {}
        given = metadata.get("entry_id") or folder.rpartition("/")[2] or None
        identity = _values.case_id(given, notes, "/metadata", 1)
        if identity is None:
            return reading(notes, [])
        if any(path.startswith(f"{folder}/tests/") for path in document.siblings):
            notes.warn("", "the task's own verifier is not run here", "run it with Harbor, or add behaviours in evals/")
        case = Case(
            id=identity,
            prompt=prompt,
            provenance=f"{document.path}#",
            unmapped=notes.unknown(data, _KNOWN),
        )
        return reading(notes, [case])


def _beside(document: Document) -> list[str]:
    folder = folder_of(document.path)
    return [path for path in document.siblings if folder_of(path) == folder]


DIALECT = HarborTask()
