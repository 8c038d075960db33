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
from aces_ci.dialects._siblings import below, data_at, folder_of, inline, matching, text_of
from aces_ci.dialects._waza import expected, grader
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"name", "description", "skill", "scenario", "version", "schemaVersion", "graders", "tasks"})
_KNOWN = frozenset({"id", "name", "description", "inputs", "expected", "graders"})
_INPUTS = frozenset({"prompt", "prompt_file", "files"})


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
        for path, at, inlined in _tasks(data["tasks"], notes):
            task = inlined or data_at(document, path, notes, at)
            if task is None:
                continue
            case = _case(task, path, data.get("graders"), notes, at, len(cases) + 1)
            if case is not None:
                cases.append(case)
            if len(cases) >= CASE_LIMIT:
                notes.error("/tasks", f"more than {CASE_LIMIT} cases", "split the suite")
                break
        return reading(notes, cases)


def _is_task(row: object) -> bool:
    return isinstance(row, str) or (isinstance(row, Mapping) and ("include" in row or "prompt" in row))


def _tasks(rows: list[Any], notes: Notes) -> Iterator[tuple[str, str, Mapping[str, Any] | None]]:
    """(file, place in the suite, the task itself where it stands in the suite, as early versions had it)."""
    folder = folder_of(notes.document.path)
    seen: set[str] = set()
    for index, row in enumerate(rows):
        at = f"/tasks/{index}"
        if isinstance(row, Mapping) and "prompt" in row:
            yield notes.document.path, at, _early(row)
            continue
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
                yield path, at, None


def _early(row: Mapping[str, Any]) -> dict[str, Any]:
    """A task as the schema has it now: its prompt below `inputs`, its validators as graders."""
    left = {key: value for key, value in row.items() if key not in ("prompt", "validators")}
    return {**left, "inputs": {"prompt": row["prompt"]}, "graders": row.get("validators", row.get("graders"))}


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
    prompt = _values.text_at(inputs, "prompt", notes, at) or _prompt_file(inputs, path, notes)
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


def _prompt_file(inputs: Mapping[str, Any], path: str, notes: Notes) -> str | None:
    """The prompt in a file beside the task."""
    name = inputs.get("prompt_file")
    return text_of(notes.document, below(folder_of(path), name)) if isinstance(name, str) else None


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
