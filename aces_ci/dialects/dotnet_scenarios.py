"""dotnet's skill-validator: `scenarios`, each a prompt with setup, assertions, expected tools and a rubric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile, CheckKind
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import is_rows, reading
from aces_ci.dialects._siblings import folder_of, inline
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset(
    {"name", "prompt", "setup", "assertions", "expect_tools", "reject_tools", "rubric", "expect_activation"}
)
_SETUP = frozenset({"files", "copy_test_files"})


@dataclass(frozen=True, slots=True)
class DotnetScenarios:
    """Claimed by `scenarios` of objects with a prompt."""

    name: str = "dotnet-scenarios"
    checked: str = (
        "dotnet/skills `eng/skill-validator/src/Services/EvalSchema.cs` and the 31 `tests/*/*/eval.yaml` (147 "
        "scenarios) at 1b8f2aa"
    )

    def claims(self, document: Document) -> bool:
        """`scenarios` with `prompt`; plugin-eval's say `userInput`."""
        data = document.data
        return isinstance(data, Mapping) and is_rows(data.get("scenarios"), lambda row: "prompt" in row)

    def read(self, document: Document) -> Reading:
        """One case a scenario."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, frozenset({"scenarios", "name", "description"}))
        cases = [
            case
            for number, row in enumerate(data["scenarios"][:CASE_LIMIT], start=1)
            if (case := _case(row, notes, number)) is not None
        ]
        return reading(notes, cases)


def _case(row: object, notes: Notes, number: int) -> Case | None:
    at = f"/scenarios/{number - 1}"
    if not isinstance(row, Mapping):
        notes.error(at, f"scenario {number} is {kind_of(row)}, not an object", "write {name, prompt, assertions}")
        return None
    identity = _values.case_id(row.get("name"), notes, at, number)
    prompt = _values.text_at(row, "prompt", notes, at)
    if prompt is None:
        notes.error(at, f"scenario {number} has no prompt", "write the task under `prompt`")
    if identity is None or prompt is None:
        return None
    graded = Graded(notes)
    assertions = row.get("assertions")
    for index, item in enumerate(assertions if isinstance(assertions, list) else [], start=1):
        here = f"{at}/assertions/{index - 1}"
        if isinstance(item, Mapping):
            # The tool compares an answer without regard to case; files it compares exactly.
            folded = {"ignore_case": True} if str(item.get("type", "")).startswith("output_") else {}
            graded.object({**folded, **item}, index, here)
        else:
            notes.error(here, f"assertion {index} is {kind_of(item)}, not an object", "write {type, value}")
    for tool in _values.texts_at(row, "expect_tools", notes, at):
        graded.check(CheckKind.TOOL_USED, {"tool": tool}, at)
    for tool in _values.texts_at(row, "reject_tools", notes, at):
        graded.check(CheckKind.TOOL_NOT_USED, {"tool": tool}, at)
    for text in _values.texts_at(row, "rubric", notes, at):
        graded.sentence(text)
    # Absent means yes, as in the tool.
    wanted = row.get("expect_activation", True)
    trigger = wanted if isinstance(wanted, bool) else None
    before = notes.refused
    case = Case(
        id=identity,
        prompt=prompt,
        files=_setup(row.get("setup"), notes, f"{at}/setup"),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{notes.document.path}#{at}",
        unmapped=notes.unknown(row, _KNOWN),
    )
    return case if notes.refused == before else None


def _setup(setup: object, notes: Notes, at: str) -> tuple[CaseFile, ...]:
    """Inline and copied files; `copy_test_files` stages everything beside the eval file but itself."""
    if not isinstance(setup, Mapping):
        return ()
    notes.unknown(setup, _SETUP)
    folder = folder_of(notes.document.path)
    found: list[CaseFile] = []
    if setup.get("copy_test_files") is True:
        prefix = f"{folder}/" if folder else ""
        found += [
            CaseFile(source=path, target=path.removeprefix(prefix))
            for path in sorted(notes.document.siblings)
            if prefix and path.startswith(prefix) and path != notes.document.path
        ]
    rows = setup.get("files")
    for index, item in enumerate(rows if isinstance(rows, list) else []):
        here = f"{at}/files/{index}"
        if not isinstance(item, Mapping):
            notes.refuse(here, f"the file is {kind_of(item)}, not an object", "write {path, content} or {path, source}")
        elif "content" in item:
            found += inline(item.get("path"), item["content"], notes, here)
        else:
            found += _values.placed(item.get("source", item.get("path")), item.get("path"), notes, here, (folder, ""))
    return tuple(found)


DIALECT = DotnetScenarios()
