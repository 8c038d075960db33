"""One agent as a process, from its start to the end of the last one that it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import IO

from aces_ci.ports.sandbox import End, Limits

_POLL = 0.02
_STOP_SECONDS = 5.0


def play(
    command: list[str],
    workspace: Path,
    environment: dict[str, str],
    limits: Limits,
    stop: threading.Event,
    streams: tuple[IO[bytes], IO[bytes]],
) -> tuple[End, str, int]:
    """How it ended, why where it did not end by itself, and its exit code (negative: the signal that ended it)."""
    started = time.monotonic()
    process = subprocess.Popen(
        [*_keeper(limits), *command],
        cwd=workspace,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=streams[0],
        stderr=streams[1],
        start_new_session=True,
    )
    end, because = _watch(process, limits, started, stop, streams)
    _end(process)
    return end, because, process.returncode


def size_of(stream: IO[bytes]) -> int:
    """Bytes that were written to it."""
    return os.fstat(stream.fileno()).st_size


def _keeper(limits: Limits) -> list[str]:
    """Ends what the agent leaves, and sets limits that a forked child of a threaded program could not set safely."""
    if sys.platform != "linux":
        return []
    keeper = str(resources.files("aces_ci.sandboxes").joinpath("_process", "keeper.py"))
    return [sys.executable, "-I", "-S", keeper, str(limits.file_bytes), str(limits.files_open)]


def _watch(
    process: subprocess.Popen[bytes],
    limits: Limits,
    started: float,
    stop: threading.Event,
    streams: tuple[IO[bytes], IO[bytes]],
) -> tuple[End, str]:
    while process.poll() is None:
        if stop.is_set():
            return End.CANCELLED, "the run was interrupted"
        if time.monotonic() - started > limits.seconds:
            return End.TIMED_OUT, f"it ran longer than {limits.seconds:g} s"
        if sum(map(size_of, streams)) > limits.log_bytes:
            return End.LOG_FLOOD, f"it wrote more than {limits.log_bytes} bytes of output"
        time.sleep(_POLL)
    return End.EXITED, ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """The keeper ends all of it where its standard input is closed; without one, or where an agent has killed it, the
    group is ended, and what made a session of its own escapes."""
    assert process.stdin is not None
    process.stdin.close()
    if sys.platform == "linux":
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(_STOP_SECONDS)
