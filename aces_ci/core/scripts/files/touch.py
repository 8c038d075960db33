"""One file that code or a tool call reads, writes or deletes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.scripts.shell.folders import below


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
    folder: str = ""
    """Where a relative path counts from; "" is where the script, or the agent, was started."""
    deep: bool = False
    """Whether everything below it goes too."""
    adds: bool = False
    """Whether what is in it stays: a line is appended, a part is changed."""
    text: str | None = None
    """What is written, where that is told in full."""
    line: int = 1

    @property
    def place(self) -> str:
        """The path from where the script was started."""
        return below(self.folder, self.path)
