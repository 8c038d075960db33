"""Where a unix socket stands, and whether it still does: without isolation an agent can take it away."""

from __future__ import annotations

import shutil
from pathlib import Path

MODE = 0o660


class SocketPath:
    """The path of one listening socket."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._own: tuple[int, int] | None = None

    def __str__(self) -> str:
        return str(self._path)

    def bound(self) -> None:
        """A socket of ours stands there now. Raises OSError."""
        self._path.chmod(MODE)
        self._own = self._standing()

    @property
    def lost(self) -> bool:
        """Whether what we bound is not there any more, or something else is: clients would not reach us."""
        return self._own is None or self._standing() != self._own

    def clear(self) -> None:
        """Make room for another one, whatever stands there. Raises OSError."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._path.is_dir() and not self._path.is_symlink():
            shutil.rmtree(self._path)
        else:
            self._path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Nobody listens any more; what is not ours stays."""
        if not self.lost:
            self._path.unlink(missing_ok=True)

    def _standing(self) -> tuple[int, int] | None:
        """Which file it is; a socket that is open keeps its number, so no other one can have it."""
        try:
            seen = self._path.lstat()
        except OSError:
            return None
        return seen.st_dev, seen.st_ino
