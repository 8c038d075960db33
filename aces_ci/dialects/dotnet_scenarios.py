"""dotnet's skill-validator: `scenarios`, each a prompt with setup, assertions, expected tools and a rubric."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile, CheckKind
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._fixtures import placed
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._siblings import folder_of, inline
from aces_ci.dialects._typed import case_id, flag_at, list_at, mapping_at, prompt_at, texts_at, trigger_at
from aces_ci.ports.dialect import Document, Reading

_KNOWN = frozenset(
    {"name", "prompt", "setup", "assertions", "expect_tools", "reject_tools", "rubric", "expect_activation"}
)
_SETUP = frozenset({"files", "copy_test_files"})
_FILE = frozenset({"path", "content", "source"})
_SUITE = re.compile(r"(?:^|[/.])eval\.ya?ml$")


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
        form = "{name, prompt, assertions}"
        return reading(notes, each(data["scenarios"], notes, "/scenarios", form, partial(_cases, notes)))


def _cases(notes: Notes, row: Mapping[str, Any], at: str, number: int) -> list[Case]:
    before = notes.refused
    identity = case_id(row.get("name"), notes, at, number)
    prompt = prompt_at(row, "prompt", notes, at, f"scenario {number}")
    if identity is None or prompt is None:
        return []
    graded = Graded(notes)
    for index, item in enumerate(list_at(row, "assertions", notes, at), start=1):
        here = f"{at}/assertions/{index - 1}"
        if isinstance(item, Mapping):
            # The tool compares an answer without regard to case; files it compares exactly.
            folded = {"ignore_case": True} if str(item.get("type", "")).startswith("output_") else {}
            graded.object({**folded, **item}, index, here)
        else:
            notes.error(here, f"assertion {index} is {kind_of(item)}, not an object", "write {type, value}")
    for tool in texts_at(row, "expect_tools", notes, at):
        graded.check(CheckKind.TOOL_USED, {"tool": tool}, f"{at}/expect_tools")
    for tool in texts_at(row, "reject_tools", notes, at):
        graded.check(CheckKind.TOOL_NOT_USED, {"tool": tool}, f"{at}/reject_tools")
    for text in texts_at(row, "rubric", notes, at):
        graded.sentence(text, at=f"{at}/rubric")
    # Absent means yes, as in the tool.
    trigger = trigger_at(row, "expect_activation", notes, at) if "expect_activation" in row else True
    case = Case(
        id=identity,
        prompt=prompt,
        files=_setup(mapping_at(row, "setup", notes, at), notes, f"{at}/setup"),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{notes.document.path}#{at}",
        unmapped={**notes.unknown(row, _KNOWN), **graded.left},
    )
    return [case] if notes.refused == before else []


def _setup(setup: Mapping[str, Any], notes: Notes, at: str) -> tuple[CaseFile, ...]:
    """Inline and copied files; `copy_test_files` stages what lies beside the eval file, other suites left out."""
    notes.unknown(setup, _SETUP)
    folder = folder_of(notes.document.path)
    copied = _beside(folder, notes) if flag_at(setup, "copy_test_files", notes, at) and folder else ()
    rows = list_at(setup, "files", notes, at)
    if not rows:
        return copied
    found: list[CaseFile] = []
    for index, item in enumerate(rows):
        here = f"{at}/files/{index}"
        if not isinstance(item, Mapping):
            notes.refuse(here, f"the file is {kind_of(item)}, not an object", "write {path, content} or {path, source}")
            continue
        notes.unknown(item, _FILE)
        if "content" in item:
            found += inline(item.get("path"), item["content"], notes, here)
        else:
            found += placed(item.get("source", item.get("path")), item.get("path"), notes, here, (folder, ""))
    # What is named outranks what is only copied with the rest.
    named = {file.target for file in found}
    return (*(file for file in copied if file.target not in named), *found)


def _beside(folder: str, notes: Notes) -> tuple[CaseFile, ...]:
    found = notes.fixtures.get((folder, "copied"))
    if found is None:
        inside, own = notes.document.siblings.below(folder), notes.document.path
        names = [name for name in inside if name != own and not _SUITE.search(name)]
        found = tuple(CaseFile(source=name, target=name.removeprefix(f"{folder}/")) for name in names)
        notes.fixtures[folder, "copied"] = found
    return found


DIALECT = DotnetScenarios()
