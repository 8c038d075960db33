"""Files beside a document: parsed, found by glob, or opened as front matter with a body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from aces_ci.core.suites.case import CaseFile
from aces_ci.core.suites.eval_text import parse
from aces_ci.dialects._notes import Notes
from aces_ci.ports.dialect import Document

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)


def folder_of(path: str) -> str:
    """The folder that holds a file, "" for the skill's root."""
    return path.rpartition("/")[0]


def below(folder: str, path: str) -> str:
    """A path below a folder, normalised; `..` stays, so that it can be refused."""
    return str(PurePosixPath(folder) / path) if folder else str(PurePosixPath(path))


def data_at(document: Document, path: str, notes: Notes, at: str) -> Any:
    """A sibling's data, or None with the fault among the errors, at its own line where it has one."""
    raw = document.siblings.get(path)
    if raw is None:
        notes.error(at, f"{path[:120]} does not exist", "add it, or correct the path")
        return None
    parsed = parse(path, raw)
    if parsed.fault is not None:
        notes.beside(path).error("", parsed.fault.message, parsed.fault.hint, parsed.fault.line)
        return None
    if parsed.data is None:
        notes.beside(path).error("", "holds nothing", "write the task there", 1)
    return parsed.data


def text_of(document: Document, path: str) -> str | None:
    """A sibling as text; None where it is missing or no text."""
    return document.siblings.text(path)


def matching(document: Document, folder: str, glob: str) -> list[str]:
    """Siblings below a folder that agree with a glob, sorted."""
    wanted = below(folder, glob)
    if not re.search(r"[*?\[]", wanted):
        return [wanted] if wanted in document.siblings else []
    return [path for path in document.siblings if fnmatchcase(path, wanted)]


def children(document: Document, folder: str, ending: str) -> Iterator[str]:
    """Files right in a folder with this ending, sorted."""
    return (path for path in document.siblings.inside(folder) if path.endswith(ending))


def front_matter(text: str, path: str, notes: Notes | None = None) -> tuple[Mapping[str, Any], str]:
    """(keys, body) of a Markdown file; no keys where there is no front matter, or none that can be read."""
    found = _FRONT.match(text.removeprefix("\ufeff"))
    if found is None:
        return {}, text
    body = text.removeprefix("\ufeff")[found.end() :]
    if not found[1].strip():
        return {}, body
    parsed = parse("front.yaml", found[1].encode())
    if isinstance(parsed.data, Mapping):
        return parsed.data, body
    if notes is not None:
        fault = parsed.fault
        said = fault.message if fault else "the front matter is no mapping"
        line = fault.line + 1 if fault and fault.line else 1
        notes.beside(path).error("", said, fault.hint if fault else "write `key: value` lines", line)
    return {}, body


def inline(target: object, content: object, notes: Notes, at: str) -> tuple[CaseFile, ...]:
    """A fixture whose content stands in the eval file itself."""
    if not isinstance(target, str) or not isinstance(content, str):
        notes.refuse(at, "an inline file needs a `path` and text as `content`", "write both as strings")
        return ()
    path = PurePosixPath(target)
    if path.is_absolute() or ".." in path.parts or "\\" in target or not path.name:
        notes.refuse(at, f"file `{target[:80]}` leaves the workspace", "name a relative path")
        return ()
    return (CaseFile(source="", target=str(path), content=content),)
