"""Vally's `eval.yaml`: `stimuli`, each a prompt with graders, constraints and whether the skill is to activate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._fixtures import placed
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._siblings import folder_of, inline
from aces_ci.dialects._typed import case_id, list_at, mapping_at, prompt_at, texts_at, trigger_at
from aces_ci.dialects._vally_graders import constraints, grade, triggers
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"name", "description", "version", "type", "stimuli", "environment"})
_KNOWN = frozenset({"name", "prompt", "graders", "constraints", "environment", "expect_activation", "rubric"})
_CONSTRAINTS = frozenset({"expect_tools", "reject_tools", "expect_skills", "reject_skills"})
_FILES = frozenset({"files"})
_FILE = frozenset({"src", "dest", "path", "content"})


@dataclass(frozen=True, slots=True)
class Vally:
    """Claimed by `stimuli`."""

    name: str = "vally"
    checked: str = (
        "https://microsoft.github.io/vally/reference/eval-spec/ and `/reference/graders/` of Vally 0.17; dotnet/skills "
        "`tests/dotnet/csharp-expert/coexistence.eval.yaml` at 0508460"
    )

    def claims(self, document: Document) -> bool:
        """An object with `stimuli`."""
        return isinstance(document.data, Mapping) and "stimuli" in document.data

    def read(self, document: Document) -> Reading:
        """One case a stimulus; files of the suite's environment come before those of the stimulus."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        before = notes.refused
        shared = _files(data, notes, "")
        if notes.refused > before:
            # Every case would lack what the suite stages for all of them; the error stands at that file.
            return reading(notes, [])
        form = "{name, prompt, graders}"
        return reading(notes, each(data["stimuli"], notes, "/stimuli", form, partial(_cases, notes, shared)))


def _cases(notes: Notes, shared: Sequence[CaseFile], row: Mapping[str, Any], at: str, number: int) -> list[Case]:
    before = notes.refused
    identity = case_id(row.get("name"), notes, at, number)
    prompt = prompt_at(row, "prompt", notes, at, f"stimulus {number}")
    if identity is None or prompt is None:
        return []
    graded = Graded(notes)
    rubric = texts_at(row, "rubric", notes, at)
    graders, limits = list_at(row, "graders", notes, at), mapping_at(row, "constraints", notes, at)
    for index, grader in enumerate(graders):
        grade(grader, graded, f"{at}/graders/{index}", rubric=bool(rubric))
    for text in rubric:
        graded.sentence(text, at=f"{at}/rubric")
    constraints(limits, graded, f"{at}/constraints")
    trigger = trigger_at(row, "expect_activation", notes, at)
    if trigger is None:
        trigger = triggers(graders, limits, notes.document.skill_name)
    own = _files(row, notes, at)
    # A stimulus outranks its suite: a file of the same name takes the place of the shared one.
    named = {file.target for file in own}
    case = Case(
        id=identity,
        prompt=prompt,
        files=(*(file for file in shared if file.target not in named), *own) if own else tuple(shared),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{notes.document.path}#{at}",
        unmapped={**notes.unknown(row, _KNOWN), **notes.unknown(limits, _CONSTRAINTS), **graded.left},
    )
    return [case] if notes.refused == before else []


def _files(row: Mapping[str, Any], notes: Notes, at: str) -> tuple[CaseFile, ...]:
    if isinstance(row.get("environment"), str):
        said = f"the environment `{row['environment'][:60]}` stands in another file and is not staged here"
        notes.warn(f"{at}/environment", said, "name the files of the case here")
        return ()
    environment = mapping_at(row, "environment", notes, at)
    notes.unknown(environment, _FILES)
    found: list[CaseFile] = []
    folder = folder_of(notes.document.path)
    for index, item in enumerate(list_at(environment, "files", notes, f"{at}/environment")):
        here = f"{at}/environment/files/{index}"
        if not isinstance(item, Mapping | str):
            notes.refuse(here, f"the file is {kind_of(item)}, not an object", "write {src, dest}")
            continue
        given: Mapping[str, Any] = {"src": item} if isinstance(item, str) else item
        notes.unknown(given, _FILE)
        if "content" in given:
            found += inline(given.get("dest", given.get("path")), given["content"], notes, here)
        else:
            found += placed(given.get("src", given.get("path")), given.get("dest"), notes, here, (folder, ""))
    return tuple(found)


DIALECT = Vally()
