"""The output directory of a run as a sink: one line at a time, on disk before anything rests on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Evidence
from aces_ci.core.wire import read_lines, to_line
from aces_ci.shell import trees
from aces_ci.shell.files import Folder, read_bounded

NAME = "evidence.jsonl"
LIMIT = 1 << 30
"""Bytes of an evidence file that is read; a run of 10,000 trials is under 10 MB."""
GIVEN_LIMIT = 500_000_000
"""Bytes of one that was brought from elsewhere; 10,000 trials are about 20 MB."""
PRIVATE = 0o600
"""Traces may hold what a skill's fixtures hold: nobody else on the runner needs them."""


def rows_of(folder: Folder, name: str) -> Iterator[Evidence]:
    """Every whole line of a file of evidence. Raises UsageError: a line that this version does not read."""
    data = folder.read(name, limit=LIMIT) or b""
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    yield from read_lines(lines, source=str(folder.path / name))


def rows_in(place: Path) -> Iterator[Evidence]:
    """The evidence of a file, of a folder, or of a folder's folders: how downloaded shards lie.

    Raises:
        UsageError: there is none, it is not UTF-8, or a line is not of this version.
    """
    for path in _files(place):
        yield from _read(path)


def _files(place: Path) -> list[Path]:
    if not place.is_dir() or (place / NAME).exists():
        return [place / NAME if place.is_dir() else place]
    return sorted(place.glob(f"*/{NAME}")) or [place / NAME]


def _read(path: Path) -> Iterator[Evidence]:
    try:
        raw = read_bounded(path, limit=GIVEN_LIMIT)
    except FileNotFoundError:
        raise UsageError(
            f"there is no evidence at {path}", code="no_evidence", path=str(path), do="give what `aces-ci run` wrote"
        ) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 (byte {error.start})", code="evidence_encoding", path=str(path), do="write it again"
        ) from None
    return read_lines(text.splitlines(keepends=True), source=str(path))


def text_of(rows: Iterable[Evidence]) -> str:
    """Evidence as such a file holds it."""
    return "".join(to_line(row) + "\n" for row in rows)


class EvidenceFile:
    """`evidence.jsonl` and what lies beside it. A torn last line of a killed run is cut off by the next write."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def read(self) -> Iterator[Evidence]:
        """Every whole line. Raises UsageError: a line that this version does not read."""
        return rows_of(self._folder, NAME)

    def add(self, evidence: Evidence) -> None:
        """One line, on disk when this returns. Raises DeliveryError."""
        with self._writing:
            self._folder.append(NAME, to_line(evidence) + "\n", mode=PRIVATE)

    def keep(self, files: Mapping[str, bytes]) -> None:
        """New files, all on disk when this returns. Raises DeliveryError."""
        trees.write_new(self._folder, files)

    def discard(self, name: str) -> None:
        """Take away a file or a folder. Raises DeliveryError."""
        trees.discard(self._folder, name)

    def extend(self, name: str, line: str) -> None:
        """One line at the end of a file. Raises DeliveryError."""
        with self._writing:
            self._folder.append(name, line + "\n", mode=PRIVATE)


@dataclass(frozen=True, slots=True)
class OutputSink:
    """The main job's evidence, which it keeps itself, and the folder beside it, as the live tier writes into them."""

    evidence: Callable[[Evidence], None]
    folder: Folder

    def add(self, evidence: Evidence) -> None:
        """One line, on disk when this returns."""
        self.evidence(evidence)

    def keep(self, files: Mapping[str, bytes]) -> None:
        """New files, all on disk when this returns."""
        trees.write_new(self.folder, files)

    def discard(self, name: str) -> None:
        """Take away a file or a folder."""
        trees.discard(self.folder, name)

    def extend(self, name: str, line: str) -> None:
        """One line at the end of a file."""
        self.folder.append(name, line + "\n", mode=PRIVATE)
