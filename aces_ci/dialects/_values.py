"""Reading of plain data with every fault as a remark: what all dialects do alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from aces_ci.core.suites.case import Behavior, CaseFile, Check
from aces_ci.dialects._checks import Graded
from aces_ci.dialects._notes import Notes, kind_of
from aces_ci.ports.dialect import Document

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def text_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> str | None:
    """A non-empty string, None where absent or null; another type is an error."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not text", "write it as a string")
        return None
    return value if value.strip() else None


def texts_at(row: Mapping[str, Any], key: str, notes: Notes, pointer: str) -> list[str]:
    """A list of strings; one string counts as a list of one."""
    value = row.get(key)
    if value is None:
        return []
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list):
        notes.error(f"{pointer}/{key}", f"`{key}` is {kind_of(value)}, not a list", "write a list of strings")
        return []
    good = [item for item in rows if isinstance(item, str) and item.strip()]
    if len(good) < len(rows):
        notes.error(
            f"{pointer}/{key}", f"`{key}` holds {len(rows) - len(good)} items that are no text", "write strings"
        )
    return good


def case_id(value: object, notes: Notes, pointer: str, number: int) -> str | None:
    """A usable id: text or a whole number; anything else is an error. Absent: the position, with a warning."""
    if value is None:
        notes.warn(pointer, f"case {number} has no id", "give it one, so that results can be compared over time")
        return f"case-{number}"
    if isinstance(value, bool) or not isinstance(value, str | int):
        notes.error(f"{pointer}/id", f"`id` is {kind_of(value)}", "write letters, digits, dots, dashes")
        return None
    shown = str(value).strip()
    if _ID.fullmatch(shown) and len(shown) <= 128 and not shown.endswith("."):
        return shown
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", shown).strip("-.")[:120] or f"case-{number}"
    notes.warn(f"{pointer}/id", f"id `{shown[:60]}` is read as `{slug}`", "use letters, digits, dots, dashes")
    return slug


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
    hits = (_hit(row, notes, pointer, roots) for row in rows)
    return tuple(file for hit in hits if hit is not None for file in _expanded(hit, notes.document))


def _hit(row: str, notes: Notes, pointer: str, roots: Sequence[str]) -> str | None:
    """The file or folder of the skill that a path means, below the first root that has it."""
    path = PurePosixPath(row)
    if path.is_absolute() or ".." in path.parts or "\\" in row or "://" in row or not path.name:
        notes.refuse(pointer, f"file `{row[:80]}` leaves the skill", "name a file below evals/ by a relative path")
        return None
    places = [str(PurePosixPath(root) / path) for root in roots]
    hit = next((place for place in places if _known(place, notes.document)), None)
    if hit is None:
        notes.refuse(pointer, f"file `{row[:80]}` does not exist", f"add {places[0]}, or correct the path")
        return None
    tolerated = roots[0] != "" and hit == str(path) and path.parts[0] == roots[0]
    if hit != places[0] and not tolerated:
        notes.warn(pointer, f"file `{row[:80]}` was found as {hit}", f"this dialect means {places[0]}")
    return hit


def _known(place: str, document: Document) -> bool:
    return place in document.siblings or any(path.startswith(f"{place}/") for path in document.siblings)


def _expanded(place: str, document: Document) -> list[CaseFile]:
    """A file, or every file of a folder, staged without its `evals/` and `files/` prefix."""
    names = [place] if place in document.siblings else [p for p in document.siblings if p.startswith(f"{place}/")]
    return [CaseFile(source=name, target=staged(name)) for name in sorted(names)]


def staged(path: str) -> str:
    """Where a fixture stands in the workspace: `evals/files/a.csv` becomes `a.csv`."""
    return path.removeprefix("evals/").removeprefix("files/")


def assertions_at(
    row: Mapping[str, Any], keys: Sequence[str], notes: Notes, pointer: str
) -> tuple[list[Behavior], list[Check]]:
    """Assertions under the first key that is present: strings are judged, objects become checks where they say how."""
    present = [key for key in keys if row.get(key) is not None]
    if len(present) > 1:
        notes.warn(pointer, f"both `{present[0]}` and `{present[1]}` are given; `{present[0]}` is used", "keep one")
    if not present:
        return [], []
    value = row[present[0]]
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list):
        notes.error(f"{pointer}/{present[0]}", f"`{present[0]}` is {kind_of(value)}, not a list", "write a list")
        return [], []
    graded = Graded(notes)
    for number, item in enumerate(rows, start=1):
        at = f"{pointer}/{present[0]}/{number - 1}"
        if isinstance(item, str) and item.strip():
            graded.sentence(item, number=number)
        elif isinstance(item, dict):
            graded.object(item, number, at)
        else:
            notes.error(at, f"assertion {number} is {kind_of(item)}", "write a sentence, or an object with `check`")
    return graded.behaviors, graded.checks


def placed(source: object, target: object, notes: Notes, pointer: str, roots: Sequence[str]) -> tuple[CaseFile, ...]:
    """One file under the name that its author gives it in the workspace, or a folder's files below that name.

    Without a name both stand where `files_at` puts them.
    """
    if not isinstance(source, str) or not isinstance(target, str) or not target.strip():
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
    inside = sorted(name for name in notes.document.siblings if name.startswith(f"{hit}/"))
    return tuple(CaseFile(source=name, target=str(path / name.removeprefix(f"{hit}/"))) for name in inside)
