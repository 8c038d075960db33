"""Tessl's scenario folders: `criteria.json` (a weighted checklist) beside `task.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import is_rows, reading
from aces_ci.dialects._siblings import below, folder_of, text_of
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
            notes.error("", f"{task} is missing or empty", "write the task there")
            return reading(notes, [])
        identity = _values.case_id(folder.rpartition("/")[2] or None, notes, "", 1)
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
            unmapped=notes.unknown(data, _TOP),
        )
        return reading(notes, [case])


def _line(row: object, number: int, graded: Graded) -> None:
    at = f"/checklist/{number - 1}"
    if not isinstance(row, Mapping):
        graded.notes.error(
            at, f"line {number} is {kind_of(row)}, not an object", "write {name, description, max_score}"
        )
        return
    graded.notes.unknown(row, _KNOWN)
    said = _values.text_at(row, "description", graded.notes, at) or _values.text_at(row, "name", graded.notes, at)
    score = row.get("max_score", 1)
    if said is None:
        graded.notes.error(at, f"line {number} says nothing", "write a description")
    elif isinstance(score, bool) or not isinstance(score, int | float) or score < 0:
        graded.notes.error(f"{at}/max_score", f"`max_score` is {kind_of(score)}", "write a number from 0")
    else:
        graded.sentence(said, weight=float(score), number=number)


DIALECT = Tessl()
