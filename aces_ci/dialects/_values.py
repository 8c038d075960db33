"""Reading of plain data with every fault as a remark: what all dialects do alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from aces_ci.core.case import Behavior, CaseFile, Check, CheckKind, Role
from aces_ci.ports.dialect import Document, Remark

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(slots=True)
class Notes:
    """What is said about one document."""

    document: Document
    errors: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    ignored: dict[str, None] = field(default_factory=dict)

    def error(self, pointer: str, message: str, hint: str) -> None:
        """A case, or a part of one, that cannot be used."""
        self.errors.append(self._remark(pointer, message, hint))

    def warn(self, pointer: str, message: str, hint: str) -> None:
        """Used, but not as its author may think."""
        self.warnings.append(self._remark(pointer, message, hint))

    def unknown(self, row: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """Keys that have no place in a case: kept with it, and reported once a document."""
        kept = {str(key): value for key, value in row.items() if key not in known}
        self.ignored.update(dict.fromkeys(kept))
        return kept

    def _remark(self, pointer: str, message: str, hint: str) -> Remark:
        return Remark(
            path=self.document.path,
            line=_line_of(self.document.text, pointer),
            pointer=pointer,
            message=message,
            hint=hint,
        )


def _line_of(text: str, pointer: str) -> int | None:
    """A good guess at the line of a JSON pointer: the n-th opening of an object with an id, else the key's line."""
    parts = [part for part in pointer.split("/") if part]
    key = next((part for part in reversed(parts) if not part.isdigit()), None)
    number = next((int(part) for part in reversed(parts) if part.isdigit()), 0)
    if key is None:
        return 1 if text else None
    places = [found.start() for found in re.finditer(rf'["\']?{re.escape(key)}["\']?\s*:', text)]
    if not places:
        return 1
    return text[: places[min(number, len(places) - 1)]].count("\n") + 1


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

    Roots are skill-relative folders, "" for the skill itself. Traversal and missing files are errors.
    """
    if value is None:
        return ()
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        notes.error(pointer, "`files` is no list of paths", "write paths as strings")
        return ()
    found = []
    for row in rows:
        path = PurePosixPath(row)
        if path.is_absolute() or ".." in path.parts or "\\" in row or "://" in row or not path.name:
            notes.error(pointer, f"file `{row[:80]}` leaves the skill", "name a file below evals/ by a relative path")
            continue
        places = [str(PurePosixPath(root) / path) for root in roots]
        hit = next((place for place in places if _known(place, notes.document)), None)
        if hit is None:
            notes.error(pointer, f"file `{row[:80]}` does not exist", f"add {places[0]}, or correct the path")
            continue
        if hit != places[0]:
            notes.warn(pointer, f"file `{row[:80]}` was found as {hit}", f"this dialect means {places[0]}")
        found += _expanded(hit, notes.document)
    return tuple(found)


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
    behaviors: list[Behavior] = []
    checks: list[Check] = []
    for number, item in enumerate(rows, start=1):
        at = f"{pointer}/{present[0]}/{number - 1}"
        if isinstance(item, str) and item.strip():
            behaviors.append(Behavior(id=f"b{number}", text=item.strip()))
        elif isinstance(item, dict):
            _object(item, number, notes, at, behaviors, checks)
        else:
            notes.error(at, f"assertion {number} is {kind_of(item)}", "write a sentence, or an object with `check`")
    return behaviors, checks


def _object(
    item: Mapping[str, Any], number: int, notes: Notes, at: str, behaviors: list[Behavior], checks: list[Check]
) -> None:
    """An assertion that is an object: our own form (`check`), or one of the private shapes seen in the wild."""
    said = next((str(item[key]) for key in ("text", "name", "description") if isinstance(item.get(key), str)), "")
    kind = _WILD.get(str(item.get("check") or item.get("type") or ""))
    if kind is None and said:
        behaviors.append(Behavior(id=f"b{number}", text=said, role=_role(item)))
        return
    args = {key: value for key, value in item.items() if key not in {"check", "type", "text", "name", "role", "weight"}}
    for wild, ours in (("phrase", "value"), ("pattern", "pattern"), ("contains", "value")):
        if wild in args and ours not in args:
            args[ours] = args.pop(wild)
    if kind is None or not args:
        notes.error(at, f"assertion {number} says neither a sentence nor a check", "see docs/evals.md, Checks")
        return
    checks.append(Check(id=f"c{number}", kind=kind, role=_role(item), args=args, text=said, weight=_weight(item)))


def _role(item: Mapping[str, Any]) -> Role:
    value = item.get("role")
    return Role(value) if isinstance(value, str) and value in set(Role) else Role.MUST


def _weight(item: Mapping[str, Any]) -> float:
    value = item.get("weight", 1.0)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else 1.0


_WILD: Mapping[str, CheckKind] = {
    **{kind.value: kind for kind in CheckKind},
    "contains_text": CheckKind.CONTAINS,
    "phrase": CheckKind.CONTAINS,
    "output_contains": CheckKind.CONTAINS,
    "output_not_contains": CheckKind.NOT_CONTAINS,
    "not-contains": CheckKind.NOT_CONTAINS,
    "output_matches": CheckKind.REGEX,
    "output_not_matches": CheckKind.NOT_REGEX,
    "pattern": CheckKind.REGEX,
    "file_not_exists": CheckKind.FILE_ABSENT,
    "file-exists": CheckKind.FILE_EXISTS,
    "file_contains": CheckKind.FILE_MATCHES,
    "file-contains": CheckKind.FILE_MATCHES,
    "exit_success": CheckKind.EXIT_STATUS,
}


def kind_of(value: object) -> str:
    """The type in words a person would use."""
    names = {bool: "a yes/no value", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
