"""Native Harbor tasks: a folder with `task.toml`, `instruction.md`, `environment/` and `tests/`.

The task gives the prompt; its verifier (`tests/grader.py`, `grader.sh` or `test.sh`) gives the outcome. It runs after
the trial in a container without network, so what it would fetch there is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import re2

from aces_ci.core.grading.grader import VERIFIERS
from aces_ci.core.suites.case import Case
from aces_ci.dialects._notes import Notes
from aces_ci.dialects._reading import reading
from aces_ci.dialects._siblings import below, folder_of, text_of
from aces_ci.dialects._typed import case_id, mapping_at
from aces_ci.ports.dialect import Document, Reading

_TABLES = ("verifier", "agent", "environment")
_FETCHES = re2.compile(r"(?:^|[\s;&|(])(apt-get|apt|apk|pip3? install|curl|wget|uvx|npm install|npx|git clone)(?:\s|$)")
_KNOWN = frozenset({"version", "schema_version", "task", "metadata"})


@dataclass(frozen=True, slots=True)
class HarborTask:
    """Claimed by the tables of a `task.toml`."""

    name: str = "harbor-task"
    checked: str = (
        "harbor-framework/harbor-cookbook `harbor_cookbook/recipes/simple-task/task.toml` at 44b58f6; "
        "laude-institute/harbor-docs `content/docs/tasks/index.mdx` at 0ec0b35"
    )

    def claims(self, document: Document) -> bool:
        """TOML with two of `verifier`, `agent`, `environment`."""
        data = document.data
        if not isinstance(data, Mapping) or not document.path.lower().endswith(".toml"):
            return False
        if sum(isinstance(data.get(name), Mapping) for name in _TABLES) >= 2:
            return True
        return "metadata" in data and below(folder_of(document.path), "instruction.md") in document.siblings

    def read(self, document: Document) -> Reading:
        """One case: `metadata.entry_id`, else the folder's name, is the id."""
        notes = Notes(document)
        data: Any = document.data
        folder = folder_of(document.path)
        instruction = below(folder, "instruction.md")
        prompt = (text_of(document, instruction) or "").strip()
        if not prompt:
            notes.error("", f"{instruction} is missing, empty or no text", "write the task there")
            return reading(notes, [])
        metadata = mapping_at(data, "metadata", notes, "")
        given = metadata.get("entry_id") or folder.rpartition("/")[2] or None
        identity = case_id(given, notes, "/metadata", 1)
        if identity is None:
            return reading(notes, [])
        _verifier(document, folder, notes)
        if f"{folder}/environment/Dockerfile" in document.siblings:
            hint = "put what agent and verifier need into evals/environment/Dockerfile"
            notes.warn("", "the task's own environment is not built here", hint)
        case = Case(
            id=identity,
            prompt=prompt,
            provenance=f"{document.path}#",
            unmapped=notes.unknown(data, _KNOWN),
        )
        return reading(notes, [case])


def _verifier(document: Document, folder: str, notes: Notes) -> None:
    found = next((path for name in VERIFIERS if (path := f"{folder}/tests/{name}") in document.siblings), None)
    if found is None:
        hint = f"add one of {', '.join(f'tests/{name}' for name in VERIFIERS)}"
        notes.warn("", "the task has no verifier: nothing gives its outcome", hint)
        return
    for number, line in enumerate((text_of(document, found) or "").split("\n"), start=1):
        fetches = None if line.lstrip().startswith("#") else _FETCHES.search(line)
        if fetches:
            message = f"{found} line {number} runs `{fetches.group(1)}`, and a verifier has no network"
            notes.warn("", message, "install it in evals/environment/Dockerfile")
            return


DIALECT = HarborTask()
