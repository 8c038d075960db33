"""Keeps the processes of one trial: whatever they do to get away from it, they are its children, and end with it.

    keeper.py FILE_BYTES FILES_OPEN COMMAND...

Starts COMMAND, and ends as it ended; before that it ends all that COMMAND left behind, also what made a session of its
own. So it does when its standard input is closed: by whoever started it, or by the system, when that one is gone.
A program by itself, which needs nothing but the interpreter. Linux only: elsewhere nobody can adopt a grandchild.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress

_ADOPT = 36
"""PR_SET_CHILD_SUBREAPER of `prctl(2)`: orphans below this process become its children."""
_SECONDS = 4.0
"""After so long of killing, what still makes new processes faster than they can be found is left."""
_PAUSE = 0.002
_MEANT_FOR_ALL = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
"""What a script may send to its group, in which the keeper is too. A handler, unlike `SIG_IGN`, ends with `exec`."""


def main() -> None:
    """Start, wait, clear up, end likewise."""
    file_bytes, files_open, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    told, tell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    for number in (signal.SIGCHLD, *_MEANT_FOR_ALL):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    agent = os.fork()
    if agent == 0:
        _become(command, int(file_bytes), int(files_open))
    ended: dict[int, int] = {}
    _wait(agent, told, ended)
    _end_all(ended)
    status = ended.get(agent, int(signal.SIGKILL))
    if os.WIFSIGNALED(status):
        with suppress(OSError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def _become(command: list[str], file_bytes: int, files_open: int) -> None:
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NOFILE, files_open),
    ):
        resource.setrlimit(what, (most, most))
    os.execv(command[0], command)


def _wait(agent: int, told: int, ended: dict[int, int]) -> None:
    """Until the agent is among those that have ended, or nobody waits for it any longer."""
    while _reap(ended) and agent not in ended:
        ready, _, _ = select.select([0, told], [], [])
        if told in ready:
            os.read(told, 4096)
        if 0 in ready and not os.read(0, 4096):
            return


def _end_all(ended: dict[int, int]) -> None:
    until = time.monotonic() + _SECONDS
    while _reap(ended) and time.monotonic() < until:
        for pid in _below(os.getpid()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _reap(ended: dict[int, int]) -> bool:
    """Note how children ended, adopted ones too; whether there are any left."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            ended[pid] = status
    except ChildProcessError:
        return False


def _below(root: int) -> list[int]:
    """Children of a process, and theirs. Those that end meanwhile leave theirs to the next look."""
    children: dict[int, list[int]] = {}
    with os.scandir("/proc") as entries:
        pids = [int(entry.name) for entry in entries if entry.name.isdecimal()]
    for pid in pids:
        with suppress(OSError, IndexError):
            children.setdefault(_parent(pid), []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def _parent(pid: int) -> int:
    handle = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    try:
        # The name before it is the process's own word, brackets and all.
        return int(os.read(handle, 4096).rpartition(b")")[2].split()[1])
    finally:
        os.close(handle)


if __name__ == "__main__":
    main()
