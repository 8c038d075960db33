"""Raw `diff-tree -z` output as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aces_ci.core.repo_path import text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffEntry:
    """One record between two trees. Modes are octal numbers, 0 on the side where there is nothing."""

    status: str
    """A added, D deleted, M modified, T type changed, R renamed."""
    score: int | None = None
    """Similarity in percent, of a rename."""
    old_mode: int
    new_mode: int
    old_oid: str
    new_oid: str
    old_path: str | None
    new_path: str | None

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that differs because of it."""
        return tuple(dict.fromkeys(path for path in (self.old_path, self.new_path) if path is not None))


def parse_raw(data: bytes) -> tuple[DiffEntry, ...]:
    """The records of `diff-tree -r -z --raw -M`."""
    return tuple(_records(iter(data.split(b"\0"))))


def _records(fields: Iterator[bytes]) -> Iterator[DiffEntry]:
    for head in fields:
        if not head.startswith(b":"):
            continue
        old_mode, new_mode, old_oid, new_oid, status = head[1:].decode().split(" ")
        first = text_of(next(fields))
        letter = status[0]
        second = text_of(next(fields)) if letter in "RC" else first
        yield DiffEntry(
            status="A" if letter == "C" else letter,
            score=int(status[1:]) if letter == "R" else None,
            old_mode=int(old_mode, 8),
            new_mode=int(new_mode, 8),
            old_oid=old_oid,
            new_oid=new_oid,
            old_path=None if letter in "AC" else first,
            new_path=None if letter == "D" else second,
        )
