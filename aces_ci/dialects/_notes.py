"""What is said about one document: every fault a remark with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aces_ci.ports.dialect import Document, Remark


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


def kind_of(value: object) -> str:
    """The type in words a person would use."""
    names = {bool: "a yes/no value", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
