"""What is said about one document: every fault a remark with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.ports.dialect import Document, Remark

MOST = 50
"""Remarks of one kind on one file that anyone reads."""


@dataclass(slots=True)
class Notes:
    """What is said about one document."""

    document: Document
    errors: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    ignored: dict[str, None] = field(default_factory=dict)
    more: dict[str, int] = field(default_factory=lambda: {"errors": 0, "warnings": 0})
    """How many were left out behind the first `MOST` of each."""
    refused: int = 0
    """Fixtures and skills that were refused so far: a case without one of them is another task."""
    _places: Mapping[str, int] | None = None

    def refuse(self, pointer: str, message: str, hint: str) -> None:
        """A fixture or a skill that cannot be used: its case is left out, which the reader of the dialect sees by
        `refused`. A refused check is an `error` only: it is left out, and the rest of its case is read.
        """
        self.refused += 1
        self.error(pointer, f"{message}: the case is left out", hint)

    def error(self, pointer: str, message: str, hint: str) -> None:
        """A case, or a part of one, that cannot be used."""
        self._add("errors", self.errors, pointer, message, hint)

    def warn(self, pointer: str, message: str, hint: str) -> None:
        """Used, but not as its author may think."""
        self._add("warnings", self.warnings, pointer, message, hint)

    def unknown(self, row: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """Keys that have no place in a case: kept with it, and reported once a document."""
        kept = {str(key): value for key, value in row.items() if key not in known}
        self.ignored.update(dict.fromkeys(kept))
        return kept

    def told(self) -> tuple[tuple[Remark, ...], tuple[Remark, ...]]:
        """(errors, warnings), each ending with how many more there are."""
        errors, warnings = (
            (*rows, *([self._remark("", f"{count} more {name}", "correct these first")] if count else []))
            for name, rows, count in (
                ("errors", self.errors, self.more["errors"]),
                ("warnings", self.warnings, self.more["warnings"]),
            )
        )
        return errors, warnings

    def _add(self, name: str, rows: list[Remark], pointer: str, message: str, hint: str) -> None:
        if len(rows) < MOST:
            rows.append(self._remark(pointer, message, hint))
        else:
            self.more[name] += 1

    def _remark(self, pointer: str, message: str, hint: str) -> Remark:
        if self._places is None:
            self._places = places(self.document.path, self.document.text)
        line = line_at(self._places, pointer)
        return Remark(path=self.document.path, line=line, pointer=pointer, message=message, hint=hint)


def kind_of(value: object) -> str:
    """The type in words a person would use."""
    names = {bool: "a yes/no value", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
