"""Lines to and from a child process."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence

from aces_ci.ports.sandbox import SandboxLost

_CLOSE_SECONDS = 10.0


class PipeChannel:
    """The gateway as a child: it ends when its standard input does."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._read, daemon=True, name="aces-gateway")
        self._thread.start()

    def send(self, line: str) -> None:
        """One line without its newline. Raises SandboxLost when the process is gone."""
        assert self._process.stdin is not None
        try:
            with self._writing:
                self._process.stdin.write(line.encode("utf-8") + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            raise SandboxLost("the gateway ended") from None

    def receive(self, timeout: float) -> str | None:
        """The next line, None after `timeout` seconds. Raises SandboxLost when the process is gone."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise SandboxLost("the gateway ended")
        return line

    def close(self) -> None:
        """End it, and wait for it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
        except OSError:
            self._process.kill()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_CLOSE_SECONDS)
        self._thread.join(_CLOSE_SECONDS)
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        finally:
            self._lines.put(None)
