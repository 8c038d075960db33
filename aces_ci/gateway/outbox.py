"""Standard output, line by line, from a thread: the event loop never waits for the driver to read."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterable
from typing import BinaryIO

from aces_ci.core.scan.redact import Redactor

ROOM = 64 * 1024 * 1024
"""Bytes that may wait for the driver before new requests are held back."""


class Outbox:
    """Lines to the driver, in the order in which they were put."""

    def __init__(self, stream: BinaryIO, secrets: Iterable[str] = ()) -> None:
        """Raises UsageError where a secret is too short to be kept out of the lines."""
        self._stream = stream
        self._redactor = Redactor(secrets)
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self.broken = False
        """The driver has gone: nothing that is put arrives."""
        self._thread = threading.Thread(target=self._write, name="outbox", daemon=True)
        self._thread.start()

    def put(self, line: str) -> None:
        """Queue one line."""
        data = line.encode("utf-8") + b"\n"
        self._waiting += len(data)
        self._queue.put(data)

    async def room(self) -> None:
        """Wait until the driver has read enough for more to be produced."""
        while self._waiting > ROOM and not self.broken:
            await asyncio.sleep(0.02)

    def close(self) -> None:
        """Write what is queued, then stop."""
        self._queue.put(None)
        self._thread.join(timeout=10)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                if not self.broken:
                    # A provider may quote our key in an answer: this is the last gate before the record.
                    self._stream.write(self._redactor.redact(data))
                    self._stream.flush()
            except (OSError, ValueError):
                self.broken = True
            self._waiting -= len(data)
