"""waza's `eval.yaml`: a suite whose cases stand in task files that its globs name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._fixtures import files_at
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import kept, reading, within
from aces_ci.dialects._siblings import below, data_at, folder_of, inline, matching, text_of
from aces_ci.dialects._typed import case_id, flag_at, list_at, mapping_at, text_at
from aces_ci.dialects._waza import expected, grader
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"name", "description", "skill", "scenario", "version", "schemaVersion", "graders", "tasks"})
_KNOWN = frozenset({"id", "name", "description", "enabled", "inputs", "expected", "graders"})
_INPUTS = frozenset({"prompt", "prompt_file", "files"})
_FILE = frozenset({"path", "content"})
GLOB_LIMIT = 200
"""Each is held against every file of the skill."""


@dataclass(frozen=True, slots=True)
class Waza:
    """Claimed by `skill` or `scenario` with `tasks` that are globs, or with `tasks_from`."""

    name: str = "waza"
    checked: str = (
        "microsoft/waza `schemas/eval.schema.json` at 022454e, `schemas/task.schema.json` at 28e2d8b, "
        "`examples/` and `skills/waza-interactive/tests/eval.yaml` at 091a1f9"
    )

    def claims(self, document: Document) -> bool:
        """Globs as text or as `{include}`; skillgrade's tasks are objects that instruct."""
        data = document.data
        if not isinstance(data, Mapping) or not ("skill" in data or "scenario" in data):
            return False
        rows = data.get("tasks")
        if isinstance(data.get("tasks_from"), str):
            return "config" in data
        return isinstance(rows, list) and bool(rows) and all(map(_is_task, rows))

    def read(self, document: Document) -> Reading:
        """One case a task file that is not switched off; the suite's graders apply to each."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        cases: list[Case] = []
        if isinstance(data.get("tasks_from"), str):
            notes.error("/tasks_from", "cases that a CSV fills into a template are not read", "write task files")
            return reading(notes, [])
        base = Graded(notes)
        for index, item in enumerate(list_at(data, "graders", notes, "")):
            grader(item, base, f"/graders/{index}")
        for path, at, inlined in _tasks(data["tasks"], notes):
            task = inlined or data_at(document, path, notes, at)
            if task is None:
                continue
            where = at if inlined else ""
            case = _case(task, base.copy().beside(path), where, len(cases) + 1, folder_of(document.path))
            if case is None or not kept(case, notes, at):
                continue
            cases.append(case)
            if not within(case, len(cases), notes, at):
                break
        return reading(notes, cases)


def _is_task(row: object) -> bool:
    return isinstance(row, str) or (isinstance(row, Mapping) and ("include" in row or "prompt" in row))


def _tasks(rows: list[Any], notes: Notes) -> Iterator[tuple[str, str, Mapping[str, Any] | None]]:
    """(file, place in the suite, the task itself where it stands in the suite, as early versions had it)."""
    folder = folder_of(notes.document.path)
    seen: set[str] = set()
    globs = 0
    for index, row in enumerate(rows):
        at = f"/tasks/{index}"
        if isinstance(row, Mapping) and "prompt" in row:
            yield notes.document.path, at, _early(row)
            continue
        glob = row if isinstance(row, str) else row.get("include")
        if not isinstance(glob, str):
            notes.error(at, f"the task is {kind_of(glob)}, not a glob", "write tasks/*.yaml")
            continue
        globs += any(character in glob for character in "*?[")
        if globs > GLOB_LIMIT:
            notes.error(at, f"more than {GLOB_LIMIT} globs", "name the task files by fewer globs")
            return
        found = [path for path in matching(notes.document, folder, glob) if path != notes.document.path]
        if not found:
            notes.error(at, f"no file matches `{glob[:80]}`", f"add one below {folder or 'the skill'}")
        for path in found:
            if path not in seen:
                seen.add(path)
                yield path, at, None


def _early(row: Mapping[str, Any]) -> dict[str, Any]:
    """A task as the schema has it now: its prompt below `inputs`, its validators as graders."""
    left = {key: value for key, value in row.items() if key not in ("prompt", "validators")}
    return {**left, "inputs": {"prompt": row["prompt"]}, "graders": row.get("validators", row.get("graders"))}


def _case(task: object, graded: Graded, at: str, number: int, suite: str) -> Case | None:
    notes = graded.notes
    path = notes.document.path
    if not isinstance(task, Mapping):
        notes.error(at, f"a task is an object, this is {kind_of(task)}", "write {id, name, inputs}")
        return None
    if flag_at(task, "enabled", notes, at) is False:
        notes.warn(f"{at}/enabled", "the task is switched off", "set `enabled: true` to use it")
        return None
    before = notes.refused
    inputs = mapping_at(task, "inputs", notes, at)
    identity = case_id(task.get("id"), notes, at, number)
    prompt = text_at(inputs, "prompt", notes, f"{at}/inputs") or _prompt_file(inputs, notes, f"{at}/inputs")
    if prompt is None:
        notes.error(at, "the task has no inputs.prompt", "write it there")
    if identity is None or prompt is None:
        return None
    trigger, left = expected(task, graded, at)
    for index, item in enumerate(list_at(task, "graders", notes, at)):
        grader(item, graded, f"{at}/graders/{index}")
    case = Case(
        id=identity,
        prompt=prompt,
        files=_files(inputs, notes, f"{at}/inputs", suite),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{path}#{at}",
        unmapped={**notes.unknown(task, _KNOWN), **notes.unknown(inputs, _INPUTS), **left, **graded.left},
    )
    return case if notes.refused == before else None


def _prompt_file(inputs: Mapping[str, Any], notes: Notes, at: str) -> str | None:
    """The prompt in a file beside the task."""
    name = text_at(inputs, "prompt_file", notes, at)
    return text_of(notes.document, below(folder_of(notes.document.path), name)) if name is not None else None


def _files(inputs: Mapping[str, Any], notes: Notes, at: str, suite: str) -> tuple[CaseFile, ...]:
    """Beside the suite, in its `fixtures`, or beside the task; a file that is not there is an error."""
    roots = (suite, f"{suite}/fixtures".lstrip("/"), folder_of(notes.document.path), "")
    found: list[CaseFile] = []
    for index, item in enumerate(list_at(inputs, "files", notes, at)):
        here = f"{at}/files/{index}"
        if not isinstance(item, Mapping):
            notes.refuse(here, f"a file is {kind_of(item)}, not an object", "write {path} or {path, content}")
            continue
        notes.unknown(item, _FILE)
        if "content" in item:
            found += inline(item.get("path"), item["content"], notes, here)
        elif not isinstance(item.get("path"), str):
            notes.refuse(here, f"the path of a file is {kind_of(item.get('path'))}, not text", "write {path}")
        else:
            found += files_at(item["path"], notes, here, roots)
    return tuple(found)


DIALECT = Waza()
