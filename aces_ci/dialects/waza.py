"""waza's `eval.yaml`: a suite whose cases stand in task files that its globs name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CaseFile
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import reading
from aces_ci.dialects._siblings import data_at, folder_of, inline, matching
from aces_ci.dialects._waza import expected, grader
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"name", "description", "skill", "version", "graders", "tasks"})
_KNOWN = frozenset({"id", "name", "description", "inputs", "expected", "graders"})
_INPUTS = frozenset({"prompt", "files"})


@dataclass(frozen=True, slots=True)
class Waza:
    """Claimed by `skill` with `tasks` that are globs."""

    name: str = "waza"
    verified: bool = True

    def claims(self, document: Document) -> bool:
        """Globs as text or as `{include}`; skillgrade's tasks are objects that instruct."""
        data = document.data
        if not isinstance(data, Mapping) or "skill" not in data or not isinstance(data.get("tasks"), list):
            return False
        return bool(data["tasks"]) and all(
            isinstance(row, str) or (isinstance(row, Mapping) and "include" in row) for row in data["tasks"]
        )

    def read(self, document: Document) -> Reading:
        """One case a task file that is not switched off; the suite's graders apply to each."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        cases: list[Case] = []
        for path, at in _tasks(data["tasks"], notes):
            task = data_at(document, path, notes, at)
            if task is None:
                continue
            case = _case(task, path, data.get("graders"), notes, at, len(cases) + 1)
            if case is not None:
                cases.append(case)
            if len(cases) >= CASE_LIMIT:
                notes.error("/tasks", f"more than {CASE_LIMIT} cases", "split the suite")
                break
        return reading(notes, cases)


def _tasks(rows: list[Any], notes: Notes) -> Iterator[tuple[str, str]]:
    folder = folder_of(notes.document.path)
    seen: set[str] = set()
    for index, row in enumerate(rows):
        at = f"/tasks/{index}"
        glob = row if isinstance(row, str) else row.get("include")
        if not isinstance(glob, str):
            notes.error(at, f"the task is {kind_of(glob)}, not a glob", "write tasks/*.yaml")
            continue
        found = [path for path in matching(notes.document, folder, glob) if path != notes.document.path]
        if not found:
            notes.error(at, f"no file matches `{glob[:80]}`", f"add one below {folder or 'the skill'}")
        for path in found:
            if path not in seen:
                seen.add(path)
                yield path, at


def _case(task: object, path: str, shared: object, notes: Notes, at: str, number: int) -> Case | None:
    if not isinstance(task, Mapping):
        notes.error(at, f"{path}: a task is an object, this is {kind_of(task)}", "write {id, name, inputs}")
        return None
    if task.get("enabled") is False:
        notes.warn(at, f"{path} is switched off", "set `enabled: true` to use it")
        return None
    inputs = task.get("inputs")
    inputs = inputs if isinstance(inputs, Mapping) else {}
    identity = _values.case_id(task.get("id"), notes, at, number)
    prompt = _values.text_at(inputs, "prompt", notes, at)
    if prompt is None:
        notes.error(at, f"{path} has no inputs.prompt", "write the task there")
    if identity is None or prompt is None:
        return None
    graded = Graded(notes)
    wanted, left = expected(task.get("expected"), graded, at)
    for rows, where in ((shared, "/graders"), (task.get("graders"), at)):
        for index, item in enumerate(rows if isinstance(rows, list) else []):
            grader(item, graded, f"{where}/{index}" if where == "/graders" else at)
    trigger = wanted if isinstance(wanted, bool) else None
    before = notes.refused
    case = Case(
        id=identity,
        prompt=prompt,
        files=_files(inputs.get("files"), path, notes, at),
        trigger=trigger,
        expected_skill=notes.document.skill_name if trigger else None,
        checks=tuple(graded.checks),
        behaviors=tuple(graded.behaviors),
        bucket=Bucket.NEGATIVE if trigger is False else None,
        provenance=f"{path}#",
        unmapped={**notes.unknown(task, _KNOWN), **notes.unknown(inputs, _INPUTS), **left},
    )
    return case if notes.refused == before else None


def _files(rows: object, path: str, notes: Notes, at: str) -> tuple[CaseFile, ...]:
    """Beside the suite, in its `fixtures`, or beside the task; a file that is not there is an error."""
    suite = folder_of(notes.document.path)
    roots = (suite, f"{suite}/fixtures".lstrip("/"), folder_of(path), "")
    found: list[CaseFile] = []
    for item in rows if isinstance(rows, list) else []:
        if not isinstance(item, Mapping):
            notes.refuse(at, f"{path}: a file is {kind_of(item)}, not an object", "write {path} or {path, content}")
        elif "content" in item:
            found += inline(item.get("path"), item["content"], notes, at)
        else:
            found += _values.files_at(item.get("path"), notes, at, roots)
    return tuple(found)


DIALECT = Waza()
