"""Scenarios of the `axis` runner, as getsentry/skills keeps them: a prompt, setup steps and weighted judge checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from aces_ci.core.suites.case import Case
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._typed import case_id, prompt_at, weight_at
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset({"name", "prompt", "judge"})
_JUDGE = frozenset({"check", "weight"})


@dataclass(frozen=True, slots=True)
class AxisScenario:
    """Claimed by one object with a prompt and `judge` checks."""

    name: str = "axis-scenario"
    checked: str = "getsentry/skills `skills/skill-writer` and `skills/pr-writer` at 6abccd6"

    def claims(self, document: Document) -> bool:
        """`prompt` with `judge: [{check, weight}]`."""
        data = document.data
        return isinstance(data, Mapping) and "prompt" in data and is_rows(data.get("judge"), lambda row: "check" in row)

    def read(self, document: Document) -> Reading:
        """One case: the file's name is its id. Setup steps are commands of the author's; they are not run here."""
        notes = Notes(document)
        data: Any = document.data
        prompt = prompt_at(data, "prompt", notes, "", "the case")
        identity = case_id(PurePosixPath(document.path).stem, notes, "", 1)
        if prompt is None or identity is None:
            return reading(notes, [])
        graded = Graded(notes)
        for number, row in enumerate(data["judge"], start=1):
            at = f"/judge/{number - 1}"
            said = row.get("check") if isinstance(row, Mapping) else row
            if not isinstance(said, str) or not said.strip():
                notes.error(at, f"judge check {number} is {kind_of(said)}, not a sentence", "write {check, weight}")
            elif isinstance(row, Mapping):
                graded.sentence(said, weight=weight_at(row, notes, at), number=number)
                graded.unused(row, _JUDGE, at)
            else:
                graded.sentence(said, number=number)
        if data.get("setup"):
            notes.warn("/setup", "setup steps are not run here", "commit what they make as files below evals/files")
        case = Case(
            id=identity,
            prompt=prompt,
            behaviors=tuple(graded.behaviors),
            provenance=f"{document.path}#",
            unmapped={**notes.unknown(data, _KNOWN), **graded.left},
        )
        return reading(notes, [case])


DIALECT = AxisScenario()
