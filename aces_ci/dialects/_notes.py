"""What is said about one document and the files beside it: every fault a remark with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.core.suites.case_size import Scales
from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.ports.dialect import Document, Remark

MOST = 50
"""Remarks of one kind on one document that anyone reads."""


@dataclass(slots=True)
class _Said:
    """What the notes on a document and those on the files beside it share."""

    errors: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    ignored: dict[str, None] = field(default_factory=dict)
    more: dict[str, int] = field(default_factory=lambda: {"errors": 0, "warnings": 0})
    """How many were left out behind the first `MOST` of each."""
    refused: int = 0
    weight: int = 0
    scales: Scales = field(default_factory=Scales)
    doubled: dict[int, tuple[tuple[CaseFile, ...], str | None]] = field(default_factory=dict)
    places: dict[str, Mapping[str, int]] = field(default_factory=dict)
    fixtures: dict[tuple[str, str], tuple[CaseFile, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notes:
    """What is said about one document."""

    document: Document
    _said: _Said = field(default_factory=_Said)

    @property
    def refused(self) -> int:
        """Fixtures and skills that were refused so far: a case without one of them is another task."""
        return self._said.refused

    @property
    def count(self) -> int:
        """Errors and warnings so far."""
        return sum((*map(len, (self._said.errors, self._said.warnings)), *self._said.more.values()))

    @property
    def ignored(self) -> tuple[str, ...]:
        """Keys that have no place here, each once."""
        return tuple(self._said.ignored)

    @property
    def has_errors(self) -> bool:
        """Whether anything is at fault."""
        return bool(self._said.errors)

    @property
    def fixtures(self) -> dict[tuple[str, str], tuple[CaseFile, ...]]:
        """Fixtures by what was asked for: cases that name the same folder share one list."""
        return self._said.fixtures

    def beside(self, path: str) -> Notes:
        """Notes on another file of the skill, told together with these."""
        if path == self.document.path:
            return self
        text = self.document.siblings.text(path) or ""
        return Notes(replace(self.document, path=path, text=text), self._said)

    def add_weight(self, case: Case) -> int:
        """How much all cases hold so far, this one included."""
        self._said.weight += self._said.scales.size_of(case)
        return self._said.weight

    def doubled(self, files: tuple[CaseFile, ...]) -> str | None:
        """A name in the workspace that two of these fixtures would have; a shared list is looked through once."""
        known = self._said.doubled
        if id(files) not in known:
            seen: dict[str, CaseFile] = {}
            twice = next((file.target for file in files if seen.setdefault(file.target, file) != file), None)
            known[id(files)] = (files, twice)
        return known[id(files)][1]

    def refuse(self, pointer: str, message: str, hint: str) -> None:
        """A fixture or a skill that cannot be used: its case is left out, which the reader of the dialect sees by
        `refused`. A refused check is an `error` only: it is left out, and the rest of its case is read.
        """
        self._said.refused += 1
        self.error(pointer, f"{message}: the case is left out", hint)

    def error(self, pointer: str, message: str, hint: str, line: int | None = None) -> None:
        """A case, or a part of one, that cannot be used. `line`: where the pointer does not say it."""
        self._add("errors", self._said.errors, pointer, message, hint, line)

    def warn(self, pointer: str, message: str, hint: str) -> None:
        """Used, but not as its author may think."""
        self._add("warnings", self._said.warnings, pointer, message, hint)

    def unknown(self, row: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """Keys that have no place in a case: kept with it, and reported once a document."""
        kept = {str(key): value for key, value in row.items() if key not in known}
        self._said.ignored.update(dict.fromkeys(kept))
        return kept

    def unused(self, row: Mapping[str, Any], known: frozenset[str], pointer: str) -> dict[str, Any]:
        """Keys of an assertion or a grader that change nothing here: kept with the case, and each is a warning."""
        kept = {str(key): value for key, value in row.items() if key not in known}
        for key in kept:
            self.warn(f"{pointer}/{key}", f"`{key[:60]}` changes nothing here", "remove it, or say it by a check")
        return kept

    def told(self) -> tuple[tuple[Remark, ...], tuple[Remark, ...]]:
        """(errors, warnings), each ending with how many more there are."""
        said = self._said
        errors, warnings = (
            (
                *rows,
                *([self._remark("", f"{said.more[name]} more {name}", "correct these first")] * bool(said.more[name])),
            )
            for name, rows in (("errors", said.errors), ("warnings", said.warnings))
        )
        return errors, warnings

    def _add(
        self, name: str, rows: list[Remark], pointer: str, message: str, hint: str, line: int | None = None
    ) -> None:
        if len(rows) < MOST:
            rows.append(self._remark(pointer, message, hint, line))
        else:
            self._said.more[name] += 1

    def _remark(self, pointer: str, message: str, hint: str, line: int | None = None) -> Remark:
        path = self.document.path
        if line is None:
            if path not in self._said.places:
                self._said.places[path] = places(path, self.document.text)
            line = line_at(self._said.places[path], pointer)
        return Remark(path=path, line=line, pointer=pointer, message=message, hint=hint)


def kind_of(value: object) -> str:
    """The type in words a person would use."""
    names = {bool: "a yes/no value", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
