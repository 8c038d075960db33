"""Starting an agent goes before staging, collecting and removing: it is the only one of them that a trial waits for.

Agents of equal tasks end together, so their successors start together; on few cores each of these starts would share
the daemon with everything that was left behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 5.0
"""Longer than any start of a daemon that is well; all else then goes on beside it."""
SOON_SECONDS = 0.05
"""An agent's end is told a moment before its successor starts."""


class Precedence:
    """One session's starts. Thread-safe."""

    def __init__(self, beside: int = (os.cpu_count() or 1) - 1) -> None:
        """`beside`: so many starts leave room for other work."""
        self._beside = beside
        self._starting = 0
        self._change = threading.Condition()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """While an agent's container is started."""
        with self._change:
            self._starting += 1
        try:
            yield
        finally:
            with self._change:
                self._starting -= 1
                self._change.notify_all()

    def give_way(self) -> None:
        """Wait until most starts are done, but not for ever."""
        with self._change:
            self._change.wait(SOON_SECONDS)
            self._change.wait_for(lambda: self._starting <= self._beside, PATIENCE_SECONDS)
