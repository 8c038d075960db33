"""Tessl's scenario folders: `criteria.json` (a weighted checklist) beside `task.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._siblings import below, folder_of, text_of
from aces_ci.dialects._typed import case_id, text_at, weight_at
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"type", "checklist", "name"})
_KNOWN = frozenset({"name", "description", "max_score"})


@dataclass(frozen=True, slots=True)
class Tessl:
    """Claimed by a `checklist` whose items have a `max_score`."""

    name: str = "tessl"
    checked: str = "tesslio/tessl-eval-demo `00-activation-testing/before/scenarios/linkbox-discard-branch` at 88e540d"

    def claims(self, document: Document) -> bool:
        """The weighted checklist."""
        data = document.data
        return isinstance(data, Mapping) and is_rows(data.get("checklist"), lambda row: "max_score" in row)

    def read(self, document: Document) -> Reading:
        """One case a folder: its name is the id, `task.md` the prompt, each line of the checklist a question."""
        notes = Notes(document)
        data: Any = document.data
        folder = folder_of(document.path)
        task = below(folder, "task.md")
        prompt = (text_of(document, task) or "").strip()
        if not prompt:
            notes.error("", f"{task} is missing, empty or no text", "write the task there")
            return reading(notes, [])
        identity = case_id(folder.rpartition("/")[2] or None, notes, "", 1)
        if identity is None:
            return reading(notes, [])
        graded = Graded(notes)
        for number, row in enumerate(data["checklist"], start=1):
            _line(row, number, graded)
        case = Case(
            id=identity,
            prompt=prompt,
            behaviors=tuple(graded.behaviors),
            provenance=f"{document.path}#",
            unmapped={**notes.unknown(data, _TOP), **graded.left},
        )
        return reading(notes, [case])


def _line(row: object, number: int, graded: Graded) -> None:
    at = f"/checklist/{number - 1}"
    if not isinstance(row, Mapping):
        graded.notes.error(
            at, f"line {number} is {kind_of(row)}, not an object", "write {name, description, max_score}"
        )
        return
    notes = graded.notes
    description, name = text_at(row, "description", notes, at), text_at(row, "name", notes, at)
    said = description or name
    if said is None:
        notes.error(at, f"line {number} says nothing", "write a description")
        return
    before = notes.count
    weight = weight_at(row, notes, at, "max_score")
    if notes.count == before:
        graded.sentence(said, weight=weight, number=number)
        graded.unused(row, _KNOWN, at)


DIALECT = Tessl()
