"""A warm process that has read nothing, and whose forks read what nobody trusts.

Warming up takes half a second, a fork of it some milliseconds: every question can have a process of its own, and one
that a hostile file has taken over is never asked about anything else.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from types import TracebackType

from aces_ci.core.errors import DeliveryError
from aces_ci.shell.undumpable import undumpable

FLAGS = ("-m", "aces_ci.untrusted")
"""What the interpreter is told after `-I`."""
FORK, END = b"f", b"k"
"""The two words that a zygote understands, each followed by a process id (of nobody, for a fork)."""
WORD = 1 + 8
"""Bytes of one word and of its number; an answer is the number alone."""


class Zygote:
    """A context manager; starts at the first fork, with an empty environment. Not for several threads."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._process is None or self._control is None:
            return
        # It has nothing to finish, and whoever is told of a wrong option shall not wait until it is warm.
        self._control.close()
        self._process.kill()
        self._process.wait()

    def warm_up(self) -> None:
        """Start now, so that it is ready when it is needed."""
        if self._process is not None:
            return
        undumpable()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", *FLAGS],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
                close_fds=True,
                start_new_session=True,
            )
        self._control = ours

    def fork(self, descriptors: tuple[int, int, int]) -> int:
        """A child with these three descriptors and no other, as its 0, 1 and 2; its process id.

        Raises:
            DeliveryError: the zygote is gone.
        """
        self.warm_up()
        return self._told(FORK, 0, list(descriptors))

    def end(self, pid: int) -> int:
        """End a fork and forget it; its exit status, negative for a signal."""
        return self._told(END, pid, [])

    def _told(self, word: bytes, number: int, descriptors: list[int]) -> int:
        assert self._control is not None
        try:
            socket.send_fds(self._control, [word + number.to_bytes(WORD - 1, "big", signed=True)], descriptors)
            answer = self._control.recv(WORD - 1, socket.MSG_WAITALL)
        except OSError:
            answer = b""
        if len(answer) != WORD - 1:
            raise DeliveryError(
                "the process that starts the unprivileged readers is gone",
                code="zygote_died",
                why="it reads nothing of the change; something ended it, or it did not start",
                do="run again; if it stays so, `python -I -m aces_ci.untrusted </dev/null` says why",
            )
        return int.from_bytes(answer, "big", signed=True)
