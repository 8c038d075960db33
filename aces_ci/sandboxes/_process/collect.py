"""Files out of a folder that an agent could write: whatever it made of it, nothing is followed, all is bounded."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from aces_ci.core.collected import DEPTH_LIMIT, add_note, shown, wrong_name
from aces_ci.ports.sandbox import CollectedFile, Limits

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def collect(root: Path, limits: Limits, wanted: tuple[str, ...], notes: list[str]) -> tuple[CollectedFile, ...]:
    """Regular files below `root`, in order; `wanted` are path prefixes, none: all. What is left out is noted."""
    found: list[CollectedFile] = []
    taken: set[str] = set()
    total = 0
    if not stat.S_ISDIR(_mode(root)):
        add_note(notes, f"{root.name} was left out: it is no folder any more")
        return ()
    for relative in _names(root, notes):
        if wanted and not relative.startswith(wanted):
            continue
        why = wrong_name(relative, taken)
        data, executable = b"", False
        if why is None:
            room = min(limits.collect_file_bytes, limits.collect_bytes - total)
            try:
                data, executable = _read(root / relative, room)
            except (OSError, ValueError) as error:
                why = str(error) if isinstance(error, ValueError) else "it cannot be read"
        if why is None and len(found) >= limits.collect_entries:
            why = "over a cap of collection"
        if why is not None:
            add_note(notes, f"{shown(relative)} was left out: {why}")
            continue
        taken.add(relative.casefold())
        total += len(data)
        found.append(CollectedFile(path=relative, data=data, executable=executable))
    return tuple(found)


def _names(root: Path, notes: list[str]) -> Iterator[str]:
    """Everything below that is no folder. A list of what is left to do, because depth must not hurt us."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        if folder.count("/") >= DEPTH_LIMIT:
            add_note(notes, f"{shown(folder)} was left out: its name is too long or too deep")
            continue
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            add_note(notes, f"{shown(folder)} was left out: it cannot be read")
            continue
        inner = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif entry.name != ".git":
                inner.append(path)
        waiting += reversed(inner)


def _read(path: Path, most: int) -> tuple[bytes, bool]:
    """Content and executable bit. Raises OSError; ValueError: no plain file, or longer than `most`."""
    handle = os.open(path, _READ)
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError("not a regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError("over a cap of collection")
    return data, bool(mode & 0o100)


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0
