"""Vally's `eval.yaml`: `stimuli`, each a prompt with graders, constraints and whether the skill is to activate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile, CheckKind
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import IMPLIED, WILD, Graded, arguments
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import reading
from aces_ci.dialects._siblings import folder_of, inline
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"name", "description", "version", "type", "stimuli"})
_KNOWN = frozenset({"name", "prompt", "graders", "constraints", "environment", "expect_activation", "rubric"})
_CONSTRAINTS = frozenset({"expect_tools", "reject_tools"})
_FILES = frozenset({"files"})


@dataclass(frozen=True, slots=True)
class Vally:
    """Claimed by `stimuli`."""

    name: str = "vally"
    checked: str = (
        "*unverified*: Vally itself is not public; compared with a suite that it runs, dotnet/skills "
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
        rows = data["stimuli"]
        if not isinstance(rows, list):
            notes.error("/stimuli", f"`stimuli` is {kind_of(rows)}, not a list", "write a list")
            return reading(notes, [])
        shared = _files(data.get("environment"), notes, "/environment")
        cases = [
            case
            for number, row in enumerate(rows[:CASE_LIMIT], start=1)
            if (case := _case(row, notes, number, shared)) is not None
        ]
        return reading(notes, cases)


def _case(row: object, notes: Notes, number: int, shared: Sequence[CaseFile]) -> Case | None:
    at = f"/stimuli/{number - 1}"
    if not isinstance(row, Mapping):
        notes.error(at, f"stimulus {number} is {kind_of(row)}, not an object", "write {name, prompt, graders}")
        return None
    identity = _values.case_id(row.get("name"), notes, at, number)
    prompt = _values.text_at(row, "prompt", notes, at)
    if prompt is None:
        notes.error(at, f"stimulus {number} has no prompt", "write the task under `prompt`")
    if identity is None or prompt is None:
        return None
    graded = Graded(notes)
    graders = row.get("graders")
    rubric = _values.texts_at(row, "rubric", notes, at)
    for index, grader in enumerate(graders if isinstance(graders, list) else []):
        # `prompt` without a text of its own is the judge of the stimulus's rubric.
        if not (rubric and isinstance(grader, Mapping) and grader.get("type") == "prompt" and "config" not in grader):
            _grader(grader, graded, f"{at}/graders/{index}")
    for text in rubric:
        graded.sentence(text)
    limits = row.get("constraints")
    limits = limits if isinstance(limits, Mapping) else {}
    for tool in _values.texts_at(limits, "expect_tools", notes, f"{at}/constraints"):
        graded.check(CheckKind.TOOL_USED, {"tool": tool}, at)
    for tool in _values.texts_at(limits, "reject_tools", notes, f"{at}/constraints"):
        graded.check(CheckKind.TOOL_NOT_USED, {"tool": tool}, at)
    wanted = row.get("expect_activation")
    trigger = wanted if isinstance(wanted, bool) else None
    before = notes.refused
    own = _files(row.get("environment"), notes, f"{at}/environment")
    case = Case(
        id=identity,
        prompt=prompt,
        files=(*shared, *own),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{notes.document.path}#{at}",
        unmapped={**notes.unknown(row, _KNOWN), **notes.unknown(limits, _CONSTRAINTS)},
    )
    return case if notes.refused == before else None


def _grader(item: object, graded: Graded, at: str) -> None:
    """`{type, config}`: a check where we have its kind, a sentence where it is a prompt for a model."""
    if not isinstance(item, Mapping):
        graded.notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, config}")
        return
    config = item.get("config")
    config = config if isinstance(config, Mapping) else {}
    name = str(item.get("type", ""))
    if name in IMPLIED:
        return
    kind = WILD.get(name)
    if kind is not None:
        graded.check(kind, arguments(kind, config), at, text=str(item.get("name", "")))
        return
    said = next((config[key] for key in ("prompt", "rubric", "criteria") if isinstance(config.get(key), str)), None)
    if said:
        graded.sentence(said)
    else:
        graded.notes.warn(at, f"grader `{name[:40]}` is not run here", "add a sentence or a check that says the same")


def _files(environment: object, notes: Notes, at: str) -> tuple[CaseFile, ...]:
    if not isinstance(environment, Mapping):
        return ()
    notes.unknown(environment, _FILES)
    found: list[CaseFile] = []
    rows = environment.get("files")
    folder = folder_of(notes.document.path)
    for index, item in enumerate(rows if isinstance(rows, list) else []):
        here = f"{at}/files/{index}"
        if isinstance(item, Mapping) and "content" in item:
            found += inline(item.get("dest", item.get("path")), item["content"], notes, here)
        else:
            source = item.get("src", item.get("path")) if isinstance(item, Mapping) else item
            target = item.get("dest") if isinstance(item, Mapping) else None
            found += _values.placed(source, target, notes, here, (folder, ""))
    return tuple(found)


DIALECT = Vally()
