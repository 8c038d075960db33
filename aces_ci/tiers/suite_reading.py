"""What was read of a skill's suite: each file with its dialect, its cases and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.suites.case import Case
from aces_ci.ports.dialect import Reading, Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """One file: the dialect that claimed it (None: none did) and what it gave."""

    path: str
    """Skill-relative."""
    dialect: str | None
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """All files of one skill, and every case in the order of the files."""

    files: tuple[FileReading, ...]

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases of all files."""
        return tuple(case for file in self.files for case in file.reading.cases)

    @property
    def errors(self) -> tuple[Remark, ...]:
        """All errors of all files."""
        return tuple(error for file in self.files for error in file.reading.errors)
