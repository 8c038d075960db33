"""Files as a tar stream for the daemon: our own entries, owned by the agent, in an order that never varies."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable
from pathlib import PurePosixPath

from aces_ci.core.staging import StagedFile


def pack(files: Iterable[StagedFile], *, uid: int, gid: int) -> bytes:
    """A tar archive of the files and of every folder above them.

    Folders have entries of their own: the daemon would make missing ones root's.

    Raises:
        ValueError: a path is absolute, has `..`, or is empty. A bug of ours: staging refuses such paths first.
    """
    buffer = io.BytesIO()
    seen: set[PurePosixPath] = set()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(files, key=lambda item: item.path):
            path = PurePosixPath(file.path)
            if path.is_absolute() or ".." in path.parts or not path.parts:
                raise ValueError(f"not a relative path: {file.path!r}")
            for folder in reversed(path.parents[:-1]):
                if folder not in seen:
                    seen.add(folder)
                    archive.addfile(_entry(str(folder), uid, gid, 0o755, folder=True))
            entry = _entry(str(path), uid, gid, 0o755 if file.executable else 0o644)
            entry.size = len(file.data)
            archive.addfile(entry, io.BytesIO(file.data))
    return buffer.getvalue()


def _entry(name: str, uid: int, gid: int, mode: int, *, folder: bool = False) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.DIRTYPE if folder else tarfile.REGTYPE
    entry.uid, entry.gid, entry.mode, entry.mtime = uid, gid, mode, 0
    return entry
