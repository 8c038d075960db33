"""Both output streams of a container, drained as they come: head and tail kept, the gap counted, a flood ended."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field

from aces_ci.ports.sandbox import Limits, Stream
from aces_ci.sandboxes._docker.attached import Attached


@dataclass(slots=True)
class HeadTail:
    """The first and the last `half` bytes of a stream."""

    half: int
    _head: bytearray = field(default_factory=bytearray)
    _tail: deque[bytes] = field(default_factory=deque)
    _tail_size: int = 0
    _dropped: int = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        room = self.half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= self.half:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._dropped += len(gone)

    def stream(self) -> Stream:
        """What was kept. With a gap, the tail begins at a line, so that no torn line is read as a whole one."""
        tail = b"".join(self._tail)
        if not self._dropped:
            return Stream(data=bytes(self._head) + tail)
        over = max(0, len(tail) - self.half)
        cut = max(over, tail.find(b"\n", over) + 1)
        head_end = self._head.rfind(b"\n") + 1 or len(self._head)
        dropped = self._dropped + cut + len(self._head) - head_end
        marker = f"[aces-ci: {dropped} bytes left out]\n".encode()
        return Stream(data=bytes(self._head[:head_end]) + marker + tail[cut:], dropped=dropped)


class Drain:
    """Reads an attached container in a thread of its own: an unread stream would hang the daemon's other calls.

    `ended` is true once the streams are closed: the main process and all of its children are gone.
    """

    def __init__(self, attached: Attached, limits: Limits) -> None:
        self.ended = False
        self.flooded = False
        self._news = threading.Event()
        self._attached = attached
        self._cap = limits.log_bytes
        self._out = HeadTail(limits.log_kept_bytes // 2)
        self._err = HeadTail(limits.log_kept_bytes // 2)
        self._thread = threading.Thread(target=self._run, daemon=True, name="aces-drain")
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end or a flood; False when neither came. Whoever waits kills, never this thread: the
        daemon answers no kill while nobody reads.
        """
        return self._news.wait(max(0.0, seconds))

    def _run(self) -> None:
        total = 0
        try:
            for out, err in self._attached.frames():
                for data, kept in ((out, self._out), (err, self._err)):
                    if data:
                        total += len(data)
                        kept.add(data)
                if total > self._cap and not self.flooded:
                    self.flooded = True
                    self._news.set()
        finally:
            self.ended = True
            self._news.set()
            self._attached.close()

    def streams(self, timeout: float = 5.0) -> tuple[Stream, Stream]:
        """Standard output and error, once the thread is done."""
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._attached.hang_up()
            self._thread.join(timeout)
        return self._out.stream(), self._err.stream()
