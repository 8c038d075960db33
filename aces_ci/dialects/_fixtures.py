"""Fixtures that a case names: found below the roots of its dialect, refused where they leave the skill, shared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from aces_ci.core.suites.case import CaseFile
from aces_ci.dialects._notes import Notes, kind_of


def files_at(value: object, notes: Notes, pointer: str, roots: Sequence[str]) -> tuple[CaseFile, ...]:
    """Fixtures named by paths: looked for below each root in turn; which one was used is said when it is not the first.

    Roots are skill-relative folders, "" for the skill itself. Traversal and missing files are errors. A path that
    begins with the name of the first root (`evals/files/a.csv` below `evals`) means the same and needs no word.
    """
    if value is None:
        return ()
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        notes.refuse(pointer, "`files` is no list of paths", "write paths as strings")
        return ()
    found: list[CaseFile] = []
    for index, row in enumerate(rows):
        hit = _hit(row, notes, f"{pointer}/{index}", roots)
        below = () if hit is None else _expanded(hit, notes)
        if len(rows) == 1:
            return below
        found += below
    return tuple(found)


def folder_at(folder: str, notes: Notes) -> tuple[CaseFile, ...]:
    """Every file below a folder of the skill, staged as `files_at` does."""
    return _expanded(folder, notes)


def placed(source: object, target: object, notes: Notes, pointer: str, roots: Sequence[str]) -> tuple[CaseFile, ...]:
    """One file under the name that its author gives it in the workspace, or a folder's files below that name.

    Without a name (None) both stand where `files_at` puts them.
    """
    if not isinstance(source, str) or not (target is None or isinstance(target, str)):
        wrong = kind_of(target) if isinstance(source, str) else kind_of(source)
        notes.refuse(pointer, f"the name of a file is {wrong}, not text", "write paths as strings")
        return ()
    if target is None or not target.strip():
        return files_at(source, notes, pointer, roots)
    path = PurePosixPath(target)
    if path.is_absolute() or ".." in path.parts or "\\" in target:
        notes.refuse(pointer, f"file `{target[:80]}` leaves the workspace", "name a relative path")
        return ()
    hit = _hit(source, notes, pointer, roots)
    if hit is None:
        return ()
    if hit in notes.document.siblings:
        whole = target.endswith("/") or not path.name
        return (CaseFile(source=hit, target=str(path / PurePosixPath(hit).name if whole else path)),)
    found = notes.fixtures.get((hit, str(path)))
    if found is None:
        names = notes.document.siblings.below(hit)
        found = tuple(CaseFile(source=name, target=str(path / name.removeprefix(f"{hit}/"))) for name in names)
        notes.fixtures[hit, str(path)] = found
    return found


def staged(path: str) -> str:
    """Where a fixture stands in the workspace: `evals/files/a.csv` becomes `a.csv`."""
    return path.removeprefix("evals/").removeprefix("files/")


def _hit(row: str, notes: Notes, pointer: str, roots: Sequence[str]) -> str | None:
    """The file or folder of the skill that a path means, below the first root that has it."""
    path = PurePosixPath(row)
    if path.is_absolute() or ".." in path.parts or "\\" in row or "://" in row or not path.name:
        notes.refuse(pointer, f"file `{row[:80]}` leaves the skill", "name a file below evals/ by a relative path")
        return None
    siblings = notes.document.siblings
    places = [str(PurePosixPath(root) / path) for root in roots]
    hit = next((place for place in places if place in siblings or siblings.below(place)), None)
    if hit is None:
        notes.refuse(pointer, f"file `{row[:80]}` does not exist", f"add {places[0]}, or correct the path")
        return None
    tolerated = roots[0] != "" and hit == str(path) and path.parts[0] == roots[0]
    if hit != places[0] and not tolerated:
        notes.warn(pointer, f"file `{row[:80]}` was found as {hit}", f"this dialect means {places[0]}")
    return hit


def _expanded(place: str, notes: Notes) -> tuple[CaseFile, ...]:
    """A file, or every file of a folder, staged without its `evals/` and `files/` prefix."""
    found = notes.fixtures.get((place, ""))
    if found is None:
        siblings = notes.document.siblings
        names = [place] if place in siblings else siblings.below(place)
        found = notes.fixtures[place, ""] = tuple(CaseFile(source=name, target=staged(name)) for name in names)
    return found
