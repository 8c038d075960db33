"""Runs one program on bytes: no shell, a bare environment, bounded time and output, no survivors."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from aces_ci.ports.runner import Completed

_CHUNK = 65_536
_GRACE = 0.5
"""Seconds that output may still come after the program itself has ended."""


def run(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout: float = 30.0,
    cap: int = 4_000_000,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Completed:
    """Run `argv` in a process group of its own and give back what it wrote.

    Args:
        timeout: seconds; then the whole group is killed.
        cap: bytes of stdout and stderr together; then the whole group is killed.
        cwd: `/` by default, so that no configuration beside the caller is picked up.
        env: replaces the environment; by default only PATH (with the folder of our own interpreter first,
            where our linters are installed), HOME=/nonexistent and a UTF-8 locale.
    """
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    bare = {"PATH": path, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or "/",
            env=dict(bare if env is None else env),
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        return Completed(exit_code=None, stdout=b"", stderr=str(error).encode(), missing=True)
    try:
        return _exchange(process, stdin, time.monotonic() + timeout, cap)
    finally:
        _kill_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()


def _exchange(process: subprocess.Popen[bytes], stdin: bytes, deadline: float, cap: int) -> Completed:
    """Feed and drain until both streams end, the time is over, or the cap is reached."""
    assert process.stdin and process.stdout and process.stderr
    chunks: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    out, err = process.stdout.fileno(), process.stderr.fileno()
    total, sent = 0, 0
    timed_out = truncated = False
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        ended: float | None = None
        while _reading(selector, process):
            now = time.monotonic()
            if process.poll() is not None and ended is None:
                ended = now + _GRACE
            until = min(deadline, ended) if ended is not None else deadline
            if now >= until:
                timed_out = ended is None
                break
            for key, _ in selector.select(min(until - now, 0.05 if ended is None else _GRACE)):
                if key.fileobj is process.stdin:
                    sent = _feed(selector, process.stdin, stdin, sent)
                    continue
                data = os.read(key.fd, _CHUNK)
                if not data:
                    selector.unregister(key.fileobj)
                total += len(data)
                chunks[key.fd].append(data)
            if total > cap:
                truncated = True
                break
    if not (timed_out or truncated):
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        timed_out = process.returncode is None
    finished = not (timed_out or truncated)
    return Completed(
        exit_code=process.returncode if finished else None,
        stdout=b"".join(chunks[out])[:cap],
        stderr=b"".join(chunks[err])[:cap],
        timed_out=timed_out,
        truncated=truncated,
    )


def _reading(selector: selectors.BaseSelector, process: subprocess.Popen[bytes]) -> bool:
    return any(key.fileobj is not process.stdin for key in selector.get_map().values())


def _feed(selector: selectors.BaseSelector, pipe: IO[bytes], data: bytes, sent: int) -> int:
    """Write the next piece; close at the end, or when the program reads no further."""
    try:
        sent += os.write(pipe.fileno(), data[sent : sent + _CHUNK]) if sent < len(data) else 0
    except BrokenPipeError:
        sent = len(data)
    if sent >= len(data):
        selector.unregister(pipe)
        with suppress(OSError):
            pipe.close()
    return sent


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group, also children that outlived their parent."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
