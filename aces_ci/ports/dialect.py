"""An evaluation format that people already have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aces_ci.core.suites.case import Case
from aces_ci.core.suites.siblings import Siblings


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file below the skill's evals, parsed as data (JSON, YAML, JSONL, CSV rows or TOML), or raw text."""

    path: str
    """Skill-relative POSIX path."""
    data: object
    text: str
    siblings: Siblings
    """Every file of the skill by skill-relative path, for dialects that spread a case over files."""
    skill_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """An error or a warning at a place in an evaluation file."""

    path: str
    line: int | None
    pointer: str
    """JSON pointer, or "" for the file."""
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one document gave."""

    cases: Sequence[Case]
    errors: Sequence[Remark] = ()
    warnings: Sequence[Remark] = ()
    ignored_keys: Sequence[str] = ()


class Dialect(Protocol):
    """One format. Detection is by keys, never by file name."""

    name: str
    checked: str
    """The file of its own project, or the published schema, that the reader was compared with, at which commit. One
    that was compared with neither begins with `*unverified*`, and the docs say so."""

    def claims(self, document: Document) -> bool:
        """Whether this document is written in this dialect."""
        ...

    def read(self, document: Document) -> Reading:
        """All cases that can be read; each fault is a Remark, never an exception."""
        ...
