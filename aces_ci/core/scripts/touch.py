"""One file that code or a tool call reads, writes or deletes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class How(StrEnum):
    """What becomes of the file."""

    READ = "read"
    WRITE = "write"
    """Made, changed or emptied."""
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """`path` is as it is written, with what only the run knows left in place: `$HOME/x`."""

    how: How
    path: str
    deep: bool = False
    """Whether everything below it goes too."""
    text: str | None = None
    """What is written, where that is told in full."""
    line: int = 1
