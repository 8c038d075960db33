"""What `grade` reads: a trace, a case, the skill that it is about; each that is something else is one clear error."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.core.suites import case_file, eval_text
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.siblings import Siblings
from aces_ci.core.trace.file import read
from aces_ci.core.trace.skill_text import declared
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.ports.dialect import Document

MANIFEST = "SKILL.md"
_HOMES = frozenset({"evals", "eval", "tests"})
"""Folders of a skill in which its cases lie."""


def trace_in(path: Path) -> tuple[bytes, Trajectory]:
    """The bytes of a trace, and the trace.

    Raises:
        UsageError: it cannot be read, is empty, or is something else: a folder, a log, a case.
    """
    if path.is_dir():
        raise _wrong(path, "is a folder, not a trace", "one ATIF document is graded at a time", _CONVERT)
    data = bytes_of(path)
    if not data.strip():
        raise _wrong(path, "is empty", "a trace has at least one step of an agent", _CONVERT)
    document = _parsed(data)
    if isinstance(document, dict) and "steps" not in document and {"prompt", "evals", "question"} & set(document):
        raise _wrong(
            path, "is a case, not a trace", "it holds a prompt and no steps", "aces-ci grade TRACE --case CASE"
        )
    if isinstance(document, dict) and document.get("steps") == []:
        raise _wrong(path, "is a trace without a step", "there is nothing to grade", _CONVERT)
    if document is None and _is_log(data):
        raise _wrong(path, "is a log of JSON lines, not a trace", "ATIF is one JSON document", _CONVERT)
    return data, read(data, source=str(path))


_CONVERT = "aces-ci trace convert LOG --output-file trace.json, then grade that"
_ORDER = "aces-ci grade TRACE --case CASE"


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _is_log(data: bytes) -> bool:
    lines = data.splitlines()[:2]
    return len(lines) > 1 and all(isinstance(_parsed(line), dict) for line in lines)


def _wrong(path: Path, what: str, why: str, do: str) -> UsageError:
    return UsageError(f"{path} {what}", code="file", path=str(path), why=why, do=do)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The skill that a case is about, as far as it was named or lies beside the case."""

    name: str | None = None
    names: tuple[str, ...] = ()
    """Under which an agent may know it: its folder, its declared name."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Its SKILL.md by each of them, casefolded."""


def skill_in(given: str | None, case: Path) -> Target:
    """By a name, by a folder with a SKILL.md, or by where the case lies: in the `evals` of a skill.

    Raises:
        UsageError: a folder was given that holds no SKILL.md, or one that cannot be read.
    """
    folder = Path(given) if given else _root(case)
    manifest = folder / MANIFEST if folder.name != MANIFEST else folder
    if given and not manifest.is_file():
        if os.sep in given.rstrip(os.sep):
            raise _wrong(folder, "is no skill", "it holds no SKILL.md", "give the skill's folder, or only its name")
        return Target(name=given, names=(given,))
    if not manifest.is_file():
        return Target()
    text = bytes_of(manifest).decode("utf-8", "replace")
    own = manifest.resolve().parent.name
    names = tuple(dict.fromkeys([own, *list(declared(text))[:1]]))
    return Target(name=own, names=names, texts={name.casefold(): text for name in names})


def _root(case: Path) -> Path:
    """The folder that the skill of a case would be."""
    parent = case.resolve().parent
    return parent.parent if parent.name in _HOMES else parent


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file of a workspace by its relative path.

    Raises:
        UsageError: there is no such folder.
    """
    if not folder.is_dir():
        why = "there is no such folder" if not folder.exists() else "it is a file"
        raise _wrong(folder, "is no workspace", why, "give the folder that the run left behind")
    return {
        file.relative_to(folder).as_posix(): bytes_of(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def appendable(path: Path) -> None:
    """Nothing where lines can be added to the file, before anything is paid for.

    Raises:
        UsageError: they cannot.
    """
    try:
        path.open("a").close()
    except OSError as error:
        raise _wrong(path, "cannot be written", error.strerror or str(error), "choose another --evidence") from None


def case_in(path: Path, wanted: str | None, skill: str | None) -> Case:
    """One case of a file: our own shape, or any dialect that has a reader.

    Raises:
        UsageError: it cannot be read, or does not name exactly one case.
    """
    if path.is_dir():
        raise _wrong(
            path, "is a folder, not a case", "one file holds the case", f"--case {path}/evals.json, or the like"
        )
    parsed = eval_text.parse(path.name, bytes_of(path))
    if parsed.fault is not None:
        fault = parsed.fault
        raise UsageError(
            f"{path} cannot be read", code="case", path=str(path), line=fault.line, why=fault.message, do=fault.hint
        )
    if isinstance(parsed.data, dict) and {"steps", "agent"} <= set(parsed.data):
        raise _wrong(path, "is a trace, not a case", "it holds steps and no prompt", _ORDER)
    cases = _canonical(parsed.data, path) or _by_dialect(parsed.data, parsed.text, path, skill)
    chosen = [case for case in cases if wanted in {None, case.id}]
    if len(chosen) == 1:
        return chosen[0]
    if not cases:
        raise UsageError(
            f"{path} holds no case",
            code="case",
            path=str(path),
            why="no case of any format that aces-ci reads stands in it",
            do="give a dataset such as evals/evals.json, or one case as docs/metrics.md shows it",
        )
    ids = ", ".join(plain(case.id, 80) for case in cases[:20])
    raise UsageError(
        f"{path} does not name one case" if wanted is None else f"{path} holds no case called {plain(wanted, 80)}",
        code="case",
        path=str(path),
        why=f"it holds: {ids}",
        do="choose with --case-id",
    )


def _canonical(data: object, path: Path) -> list[Case]:
    listed: list[Any] = data if isinstance(data, list) else [data]
    return [case_file.read(entry, source=str(path)) for entry in listed if case_file.claims(entry)]


def _by_dialect(data: object, text: str, path: Path, skill: str | None) -> list[Case]:
    root = _root(path)
    name = path.resolve().relative_to(root).as_posix()
    document = Document(path=name, data=data, text=text, siblings=Siblings(_Below(root)), skill_name=skill or root.name)
    dialect = next((dialect for dialect in compose.dialects() if dialect.claims(document)), None)
    if dialect is None:
        return []
    reading = dialect.read(document)
    if not reading.cases and reading.errors:
        first = reading.errors[0]
        raise UsageError(
            f"{path} holds no case that can be read",
            code="case",
            path=str(path),
            line=first.line,
            at=first.pointer,
            why=first.message,
            do=first.hint,
        )
    return list(reading.cases)


class _Below(Mapping[str, bytes]):
    """The files below a folder by relative path, each read when a dialect asks for it."""

    def __init__(self, root: Path) -> None:
        self._files = {
            file.relative_to(root).as_posix(): file
            for file in sorted(root.rglob("*"))
            if file.is_file() and not file.is_symlink() and ".git" not in file.parts
        }

    def __getitem__(self, path: str) -> bytes:
        return bytes_of(self._files[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files


def bytes_of(path: Path) -> bytes:
    """A file's bytes. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot read {path}", code="file", path=str(path), why=why, do="check the path") from None
