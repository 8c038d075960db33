"""`claude plugin eval`: one folder a case, with `prompt.md` or `case.yaml`, and graders in `graders/*.md`.

Its regexes are JavaScript's; where RE2 has no equal of one, that grader is an error at its place and the rest is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.suites.case import Bucket, Case, CheckKind
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._claude_graders import grade
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.dialects._reading import reading
from aces_ci.dialects._siblings import children, data_at, folder_of, front_matter, text_of
from aces_ci.dialects._typed import case_id, list_at, mapping_at, text_at
from aces_ci.ports.dialect import Document, Reading

_FRONT = frozenset(
    {
        "schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome", "model", "max_turns",
        "timeout_seconds", "allowed_tools", "append_system_prompt", "env",
    }
)  # fmt: skip
_KNOWN = frozenset({"name", "description", "schema_version", "expected_outcome", "graders", "execution"})
_SECTIONS = ("execution", "graders", "context")
_FILES = ("prompt.md", "case.yaml", "case.yml")


@dataclass(frozen=True, slots=True)
class ClaudePluginEval:
    """Claimed by a folder's shape: a prompt with graders beside it."""

    name: str = "claude-plugin-eval"
    checked: str = "https://code.claude.com/docs/en/plugin-evals, Eval suite reference (schema_version 1.1)"

    def claims(self, document: Document) -> bool:
        """`case.yaml` by its keys; a Markdown prompt by its front matter or by the graders beside it."""
        data = document.data
        if isinstance(data, Mapping):
            return "schema_version" in data and "name" in data and any(key in data for key in _SECTIONS)
        folder = folder_of(document.path)
        if data is not None or not document.path.endswith(".md") or folder.rpartition("/")[2] == "graders":
            return False
        if _case_file(document, folder) is not None and document.path.endswith("/prompt.md"):
            return False
        keys, _ = front_matter(document.text, document.path)
        graders = any(children(document, f"{folder}/graders", ".md")) and document.path == f"{folder}/prompt.md"
        return graders or (len(keys) > 0 and set(keys) <= _FRONT and "/" in folder and not _is_prose(keys))

    def read(self, document: Document) -> Reading:
        """One case a folder; the folder's name is the id where the case has no name."""
        notes = Notes(document)
        folder = folder_of(document.path)
        row: Mapping[str, Any] = document.data if isinstance(document.data, Mapping) else {}
        row = {**row, **mapping_at(row, "execution", notes, "")}
        written = document.text if document.data is None else text_of(document, f"{folder}/prompt.md")
        prompt = text_at(row, "prompt", notes, "/execution")
        if written is not None:
            # Beside a case.yaml its front matter outranks the same keys, and its body is the prompt.
            front, body = front_matter(written, f"{folder}/prompt.md", notes)
            for key in sorted(set(front) - _FRONT, key=str):
                notes.beside(f"{folder}/prompt.md").error(
                    f"/{key}", f"`{str(key)[:60]}` is no key of a prompt.md", "remove it: the tool refuses it"
                )
            row, prompt = {**row, **front}, body.strip() or prompt
        if prompt is None:
            notes.error("", "the case has no prompt", "write it in prompt.md, below the front matter")
            return reading(notes, [])
        identity = case_id(row.get("name") or folder.rpartition("/")[2] or None, notes, "", 1)
        if identity is None:
            return reading(notes, [])
        graded = Graded(notes)
        for path, name, keys, body, at in _graders(row, document, folder, notes):
            grade(name, keys, body, graded.beside(path), at)
        if not graded.checks and not graded.behaviors and not notes.has_errors:
            notes.warn("", "the case has no grader that is run here", "add graders/NAME.md")
        if row.get("context") is not None:
            notes.warn("/context", "`context` is not staged here", "commit its files below evals/files and name them")
        trigger = _trigger(graded, document.skill_name)
        case = Case(
            id=identity,
            prompt=prompt,
            trigger=trigger,
            expected_skill=document.skill_name if trigger else None,
            bucket=Bucket.NEGATIVE if trigger is False else None,
            reference=text_at(row, "expected_outcome", notes, ""),
            checks=tuple(graded.checks),
            behaviors=tuple(graded.behaviors),
            provenance=f"{document.path}#",
            unmapped={**notes.unknown(row, _KNOWN | {"prompt"}), **graded.left},
        )
        return reading(notes, [case])


def _is_prose(keys: Mapping[str, Any]) -> bool:
    """A page that has only a name and a description is a skill or a document, not a case."""
    return set(keys) <= {"name", "description", "tags"}


def _case_file(document: Document, folder: str) -> str | None:
    return next((f"{folder}/{name}" for name in _FILES[1:] if f"{folder}/{name}" in document.siblings), None)


def _trigger(graded: Graded, skill: str) -> bool | None:
    """What its graders say of the tool `Skill`: that it is called, that it never is, or nothing."""
    for check in graded.checks:
        if check.kind is CheckKind.SKILL_READ and check.args.get("skill") in (None, skill):
            return True
        if check.kind is CheckKind.TOOL_NOT_USED and check.args.get("tool") == "Skill":
            return False
    return None


def _graders(
    row: Mapping[str, Any], document: Document, folder: str, notes: Notes
) -> list[tuple[str, str, Mapping[str, Any], str, str]]:
    """(file, name, keys, body, place in the file): those of the case file, then those in files of their own."""
    found: list[tuple[str, str, Mapping[str, Any], str, str]] = []
    for index, item in enumerate(list_at(row, "graders", notes, "")):
        at = f"/graders/{index}"
        if isinstance(item, Mapping):
            found.append((document.path, str(item.get("name", f"grader-{index + 1}")), item, "", at))
        else:
            notes.error(at, f"the grader is {kind_of(item)}, not an object", "write {type, ...}")
    for path in children(document, f"{folder}/graders", ".md"):
        text = text_of(document, path)
        if text is None:
            notes.beside(path).error("", "the grader is no text", "save it as UTF-8", 1)
            continue
        before = notes.count
        keys, body = front_matter(text, path, notes)
        if notes.count > before:
            continue
        found.append((path, path.rpartition("/")[2].removesuffix(".md"), keys, body.strip(), ""))
    for path in (*children(document, f"{folder}/graders", ".yaml"), *children(document, f"{folder}/graders", ".yml")):
        data = data_at(document, path, notes, "")
        if isinstance(data, Mapping):
            found.append((path, path.rpartition("/")[2].rpartition(".")[0], data, "", ""))
        elif data is not None:
            notes.beside(path).error("", f"the grader is {kind_of(data)}, not an object", "write {type, ...}", 1)
    return found


DIALECT = ClaudePluginEval()
