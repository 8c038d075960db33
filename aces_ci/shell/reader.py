"""Talks to the unprivileged reader: requests in, evidence out, nothing else believed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import TracebackType

from aces_ci.core.errors import DeliveryError
from aces_ci.core.evidence import Evidence
from aces_ci.core.wire import LINE_LIMIT, from_line

FLAGS = ("-m", "aces_ci.untrusted")
"""What the interpreter is told after `-I`."""
END = '{"end": true}\n'
MOST_LINES = 20_000
"""Lines of one answer; a skill with more findings than that is not being read, it is attacking."""


class Reader:
    """One child process; a context manager. Its environment is empty, its descriptors are three."""

    def __init__(self) -> None:
        self._process = _spawn()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        process.stdin.close()
        if kind is not None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def restart(self) -> None:
        """A fresh child in the place of one that died."""
        self.__exit__(DeliveryError, None, None)
        self._process = _spawn()

    def ask(self, request: str) -> Iterator[Evidence]:
        """The evidence for one request.

        Raises:
            DeliveryError: the child died (a bomb met its limits, or a bug) or said something that is no evidence.
        """
        process = self._process
        assert process.stdin and process.stdout
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        for number in range(1, MOST_LINES):
            line = process.stdout.readline(LINE_LIMIT + 2)
            if line == END:
                return
            if not line.endswith("\n"):
                raise self._died()
            yield from_line(line, number=number, source="reader")
        raise self._died()

    def _died(self) -> DeliveryError:
        self._process.kill()
        assert self._process.stderr
        said = self._process.stderr.read(20_000).strip().splitlines()
        return DeliveryError(
            "the unprivileged reader stopped before it was done",
            code="reader_died",
            at=said[-1][:200] if said else f"exit {self._process.wait()}",
            why="it reads the change's bytes under limits of time and memory; one of them was reached, or it has a bug",
            do="look for a very large or deeply nested file in the changed skill; else report the line above",
        )


def _spawn() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", *FLAGS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        close_fds=True,
        start_new_session=True,
        text=True,
        encoding="utf-8",
    )
