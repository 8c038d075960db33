"""skillgrade's `eval.yaml`: `tasks` with an `instruction`, a workspace and graders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._fixtures import placed
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import each, reading
from aces_ci.dialects._rows import is_rows
from aces_ci.dialects._siblings import folder_of, text_of
from aces_ci.dialects._typed import case_id, list_at, prompt_at, text_at, weight_at
from aces_ci.ports.dialect import Document, Reading

_TOP = frozenset({"version", "skill", "tasks"})
_KNOWN = frozenset({"name", "instruction", "workspace", "graders"})
_RUBRIC = frozenset({"type", "rubric", "weight"})
_FILE = frozenset({"src", "dest"})


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

        def read(row: Mapping[str, Any], at: str, number: int) -> list[Case]:
            before = notes.refused
            identity = case_id(row.get("name"), notes, at, number)
            prompt = _inlined(prompt_at(row, "instruction", notes, at, f"task {number}"), document)
            if identity is None or prompt is None:
                return []
            graded = Graded(notes)
            for index, grader in enumerate(list_at(row, "graders", notes, at)):
                _grader(grader, graded, f"{at}/graders/{index}")
            case = Case(
                id=identity,
                prompt=prompt,
                files=_workspace(list_at(row, "workspace", notes, at), notes, f"{at}/workspace"),
                behaviors=tuple(graded.behaviors),
                provenance=f"{document.path}#{at}",
                unmapped={**notes.unknown(row, _KNOWN), **graded.left},
            )
            return [case] if notes.refused == before else []

        return reading(notes, each(data["tasks"], notes, "/tasks", "{name, instruction, graders}", read))


def _grader(item: object, graded: Graded, at: str) -> None:
    if not isinstance(item, Mapping):
        graded.notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, rubric}")
        return
    notes = graded.notes
    rubric = _inlined(text_at(item, "rubric", notes, at), notes.document)
    if item.get("type") == "llm_rubric" and rubric:
        weight = weight_at(item, notes, at)
        for line in _lines_of(rubric):
            graded.sentence(line, weight=weight, at=at)
        graded.unused(item, _RUBRIC, at)
        return
    said = f"grader `{str(item.get('type'))[:40]}` runs a program, which is not run here"
    notes.warn(at, said, "add a check that says the same, or wrap it as evals/grader.sh")
    graded.left["/".join(at.split("/")[-2:])] = item


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


def _workspace(rows: list[Any], notes: Notes, at: str) -> tuple[CaseFile, ...]:
    found: list[CaseFile] = []
    folder = folder_of(notes.document.path)
    for index, item in enumerate(rows):
        here = f"{at}/{index}"
        if not isinstance(item, Mapping):
            notes.refuse(here, f"the file is {kind_of(item)}, not an object", "write {src, dest}")
            continue
        notes.unknown(item, _FILE)
        found += placed(item.get("src"), item.get("dest"), notes, here, (folder, ""))
    return tuple(found)


DIALECT = Skillgrade()
