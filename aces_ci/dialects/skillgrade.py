"""skillgrade's `eval.yaml`: `tasks` with an `instruction`, a workspace and graders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.core.suites.eval_text import CASE_LIMIT
from aces_ci.dialects import _values
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._rows import is_rows, reading
from aces_ci.dialects._siblings import folder_of, text_of
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"version", "skill", "tasks"})
_KNOWN = frozenset({"name", "instruction", "workspace", "graders"})


@dataclass(frozen=True, slots=True)
class Skillgrade:
    """Claimed by `tasks` with `instruction`."""

    name: str = "skillgrade"
    checked: str = (
        "mgechev/skillgrade `skills/skillgrade-setup/references/eval-yaml-spec.md`, `examples/superlint` and "
        "`examples/angular-modern` at 77b3a3d"
    )

    def claims(self, document: Document) -> bool:
        """`tasks` of objects that instruct."""
        data = document.data
        return isinstance(data, Mapping) and is_rows(data.get("tasks"), lambda row: "instruction" in row)

    def read(self, document: Document) -> Reading:
        """One case a task; a rubric is judged, a program of the author's is named as not run."""
        notes = Notes(document)
        data: Any = document.data
        notes.unknown(data, _TOP)
        cases = []
        for number, row in enumerate(data["tasks"][:CASE_LIMIT], start=1):
            at = f"/tasks/{number - 1}"
            if not isinstance(row, Mapping):
                notes.error(at, f"task {number} is {kind_of(row)}, not an object", "write {name, instruction, graders}")
                continue
            identity = _values.case_id(row.get("name"), notes, at, number)
            prompt = _inlined(_values.text_at(row, "instruction", notes, at), document)
            if prompt is None:
                notes.error(at, f"task {number} has no instruction", "write the task under `instruction`")
            if identity is None or prompt is None:
                continue
            graded = Graded(notes)
            graders = row.get("graders")
            for index, grader in enumerate(graders if isinstance(graders, list) else []):
                _grader(grader, graded, f"{at}/graders/{index}")
            before = notes.refused
            files = _workspace(row.get("workspace"), notes, f"{at}/workspace")
            if notes.refused > before:
                continue
            cases.append(
                Case(
                    id=identity,
                    prompt=prompt,
                    files=files,
                    behaviors=tuple(graded.behaviors),
                    provenance=f"{document.path}#{at}",
                    unmapped=notes.unknown(row, _KNOWN),
                )
            )
        return reading(notes, cases)


def _grader(item: object, graded: Graded, at: str) -> None:
    if not isinstance(item, Mapping):
        graded.notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, rubric}")
        return
    rubric = _inlined(_values.text_at(item, "rubric", graded.notes, at), graded.notes.document)
    weight = item.get("weight")
    heavy = float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) and weight >= 0 else 1.0
    if item.get("type") == "llm_rubric" and rubric:
        for line in _lines_of(rubric):
            graded.sentence(line, weight=heavy)
    else:
        graded.notes.warn(
            at,
            f"grader `{str(item.get('type'))[:40]}` runs a program, which is not run here",
            "add a check that says the same, or wrap it as evals/grader.sh",
        )


def _lines_of(rubric: str) -> list[str]:
    """Each bullet of a rubric is a question of its own; a rubric without bullets is one."""
    bullets = [line.strip().lstrip("-*").strip() for line in rubric.splitlines() if line.strip().startswith(("-", "*"))]
    return [line for line in bullets if line] or [" ".join(rubric.split())]


def _inlined(text: str | None, document: Document) -> str | None:
    """A text that is the path of a file beside the suite stands for that file."""
    if text is None or "\n" in text or not text.strip().endswith((".md", ".txt")):
        return text
    folder = folder_of(document.path)
    path = f"{folder}/{text.strip()}" if folder else text.strip()
    return text_of(document, path) or text


def _workspace(rows: object, notes: Notes, at: str) -> tuple[CaseFile, ...]:
    found: list[CaseFile] = []
    folder = folder_of(notes.document.path)
    for index, item in enumerate(rows if isinstance(rows, list) else []):
        here = f"{at}/{index}"
        if not isinstance(item, Mapping):
            notes.refuse(here, f"the file is {kind_of(item)}, not an object", "write {src, dest}")
            continue
        found += _values.placed(item.get("src"), item.get("dest"), notes, here, (folder, ""))
    return tuple(found)


DIALECT = Skillgrade()
