"""Files out of a stopped container: the daemon's tar stream, read under caps, nothing written to disk here.

The content is the agent's. Links, devices and pipes are skipped with a note; names that could mislead a reader or a
file system are refused; every size is counted before it is read. A stream that passes a cap is abandoned.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from aces_ci.core.collected import add_note, shown, wrong_name
from aces_ci.ports.sandbox import CollectedFile, Limits

_BLOCK = 4096
_HEADERS_PER_ENTRY = 8192
"""Bytes of tar overhead that one entry may honestly need: header, PAX records for long names, padding."""


class TooMuch(Exception):
    """A cap was passed; the stream must be closed unread."""


@dataclass(slots=True)
class Harvest:
    """What one stream gave."""

    files: list[CollectedFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    used_bytes: int = 0
    """Space the files took in the volume, in whole pages: tells a full volume."""
    entries: int = 0

    def note(self, text: str) -> None:
        """Keep the first notes."""
        add_note(self.notes, text)


class _Bounded(io.RawIOBase):
    """The chunk stream as a file that fails once more than `limit` bytes were read."""

    def __init__(self, chunks: Iterator[bytes], limit: int) -> None:
        self._chunks = chunks
        self._left = limit
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._left -= len(chunk)
            if self._left < 0:
                raise TooMuch("the files are larger than the cap for collection")
            self._rest = chunk
        size = len(self._rest) if size < 0 else size
        out, self._rest = self._rest[:size], self._rest[size:]
        return out


def read(
    chunks: Iterator[bytes],
    *,
    root: str,
    limits: Limits,
    wanted: Callable[[str], bool] = lambda path: True,
) -> Harvest:
    """Read one archive whose entries lie below the folder `root` (the name that the daemon gives the mount).

    Never raises for what the archive holds: a note says what was left out. The caller closes the stream.
    """
    found = Harvest()
    limit = limits.collect_bytes + limits.collect_entries * _HEADERS_PER_ENTRY
    taken: set[str] = set()
    kept = 0
    try:
        with tarfile.open(fileobj=_Bounded(chunks, limit), mode="r|", bufsize=65536) as archive:
            for entry in archive:
                found.entries += 1
                if found.entries > limits.collect_entries:
                    raise TooMuch(f"more than {limits.collect_entries} files")
                found.used_bytes += -(-entry.size // _BLOCK) * _BLOCK if entry.isreg() else 0
                path = _inside(entry.name, root)
                if path is None or entry.isdir() or not wanted(path):
                    continue
                why = _refused(entry, path, taken, limits)
                if why is None and kept + entry.size > limits.collect_bytes:
                    why = "over the cap of all files"
                if why is not None:
                    found.note(f"{shown(path)} was left out: {why}")
                    continue
                stream = archive.extractfile(entry)
                data = stream.read(entry.size) if stream is not None else b""
                kept += len(data)
                taken.add(path.casefold())
                found.files.append(CollectedFile(path=path, data=data, executable=bool(entry.mode & 0o100)))
    except TooMuch as error:
        found.note(f"collection stopped: {error}")
    except (tarfile.TarError, UnicodeError, ValueError, EOFError) as error:
        found.note(f"collection stopped: the archive is damaged ({type(error).__name__})")
    return found


def _inside(name: str, root: str) -> str | None:
    """The path below the collected folder; None for the folder itself."""
    parts = PurePosixPath(name).parts
    if parts and parts[0] == root:
        parts = parts[1:]
    return "/".join(parts) or None


def _refused(entry: tarfile.TarInfo, path: str, taken: set[str], limits: Limits) -> str | None:
    if not entry.isreg():
        return "not a regular file"
    if entry.size > limits.collect_file_bytes:
        return f"larger than {limits.collect_file_bytes} bytes"
    return wrong_name(path, taken)
