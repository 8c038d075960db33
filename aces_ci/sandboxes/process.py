"""Processes on this machine: no isolation, for an author's own skills at a terminal; CI refuses it for others'.

Each trial has a folder of its own, an environment from empty, and the same gateway as in containers: no key either.
What it cannot give: another user, a closed network, bounded memory and disk, a file system of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import IO

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import Listener
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import (
    AT_ONCE,
    NEVER_BEGUN,
    ImageRequest,
    Job,
    Limits,
    Program,
    Ran,
    Stream,
    Turn,
    Wanted,
)
from aces_ci.sandboxes._process.channel import PipeChannel
from aces_ci.sandboxes._process.collect import collect
from aces_ci.sandboxes._process.play import play, size_of
from aces_ci.sandboxes._process.ports import free_port

_SOCKET, _TUNNEL = "gw.sock", "net.sock"


class ProcessSession:
    """An open run: the gateway's process, and a folder for each slot's trials."""

    def __init__(self, root: Path, slots: int, program: Program) -> None:
        self._root = root
        self._slots = slots
        self._ports = [free_port() for _ in range(slots)]
        self._proxies = list(self._ports)
        for slot in range(slots):
            (root / f"s{slot}").mkdir(mode=0o700)
        command = [sys.executable if word == "python3" else word for word in program.command]
        environment = {**_own(root), **program.environment}
        self.gateway = PipeChannel(command, environment)

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Unix sockets of a slot, short enough for any system's limit on their paths."""
        folders = [self._root / f"s{slot}" for slot in range(self._slots)]
        return tuple(
            Listener(slot=folder.name, path=str(folder / _SOCKET), tunnel_path=str(folder / _TUNNEL))
            for folder in folders
        )

    def base_url(self, slot: int) -> str:
        """A loopback port of the next trial's own, drawn anew at each call: the last relay may still hold its own."""
        self._ports[slot] = free_port()
        return f"http://127.0.0.1:{self._ports[slot]}"

    def proxy(self, slot: int) -> str:
        """A second port of the next trial's own."""
        self._proxies[slot] = free_port()
        return f"127.0.0.1:{self._proxies[slot]}"

    def home(self, slot: int) -> str:
        """The same path for every trial of a slot; emptied between them."""
        return str(self._root / f"s{slot}" / "home")

    def workspace(self, slot: int) -> str:
        """The same path for every trial of a slot; emptied between them."""
        return str(self._root / f"s{slot}" / "workspace")

    def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
        """One agent with all that it starts: staged, run, ended as a whole, collected."""
        begun = time.monotonic()
        home, workspace = Path(self.home(job.slot)), Path(self.workspace(job.slot))
        for folder, files in ((home, job.home), (workspace, job.workspace)):
            _remove(folder)
            folder.mkdir(mode=0o700)
            _lay(folder, files)
        stdin = home / ".aces-stdin"
        stdin.write_bytes(job.stdin)
        relay = str(resources.files("aces_ci.sandboxes").joinpath("images", "relay.py"))
        folder = self._root / f"s{job.slot}"
        doors = f"{self._ports[job.slot]}={folder / _SOCKET}"
        if job.network:
            doors += f",{self._proxies[job.slot]}={folder / _TUNNEL}"
        command = [sys.executable, "-I", "-S", relay, doors, str(stdin), *job.command]
        environment = {**_own(home), **job.environment}
        waiting = time.monotonic()
        if not turn.wait():
            ran = NEVER_BEGUN
        else:
            waited = time.monotonic() - waiting
            # Without names: what the agent does to the files beside its folders cannot reach them.
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
                started = time.monotonic()
                try:
                    end, because, exit_code = play(command, workspace, environment, job.limits, stop, (out, err))
                finally:
                    turn.over()
                _own_folder(folder)
                seconds = time.monotonic() - started
                notes: list[str] = []
                ran = Ran(
                    end=end,
                    because=because,
                    exit_code=exit_code,
                    stdout=_bounded(out, job.limits),
                    stderr=_bounded(err, job.limits),
                    workspace=collect(workspace, job.limits, (), notes),
                    home=collect(home, job.limits, job.keep_home, notes) if job.keep_home else (),
                    notes=tuple(notes),
                    seconds=seconds,
                    overhead_seconds=time.monotonic() - begun - seconds - waited,
                )
        _remove(workspace)
        _remove(home)
        # This one's relay may hold its port for another second: a job that asks for no address gets a fresh one too.
        self._ports[job.slot] = free_port()
        return ran


class ProcessSandbox:
    """The sandbox for those who have no Docker and trust what they run."""

    name = "process"
    isolates = False
    stages_ahead = False

    def image(self, request: ImageRequest) -> str:
        """There is none: the agent's program has to be on this machine. Raises UsageError where it is not."""
        program, *arguments = request.command or ("true",)
        absent = [word for word in arguments if word.startswith("/opt/aces/") and not Path(word).exists()]
        if shutil.which(program) is None:
            absent.insert(0, program)
        if absent:
            raise UsageError(
                f"`{absent[0]}` is not on this machine, so no agent could start",
                code="no_program",
                at="live.sandbox.backend",
                why="with `process`, agents are programs of this machine; ours are in the images of the other kind",
                do="install it and put it on PATH, or leave the backend at `docker`",
            )
        return f"process:{request.recipe}"

    def wanted(self, request: ImageRequest) -> Wanted | None:
        """None: an agent is a program of this machine."""
        return None

    def gateway(self, program: Program) -> str:
        """There is no image: the gateway is a process of this installation."""
        return ""

    @contextmanager
    def open(self, *, run: str, slots: int, program: Program, limits: Limits) -> Iterator[ProcessSession]:
        """A folder below the system's temporary one, removed on leaving."""
        folder = Path(tempfile.mkdtemp(prefix="aces-"))
        try:
            session = ProcessSession(folder, slots, program)
            try:
                yield session
            finally:
                session.gateway.close()
        finally:
            _remove(folder)


def _own(home: Path) -> dict[str, str]:
    """An environment from empty: nothing of the author's own (keys above all) is inherited."""
    return {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", os.defpath),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "USER": "agent",
    }


def _lay(folder: Path, files: tuple[StagedFile, ...]) -> None:
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)


def _bounded(stream: IO[bytes], limits: Limits) -> Stream:
    half = limits.log_kept_bytes // 2
    size = size_of(stream)
    stream.seek(0)
    if size <= 2 * half:
        return Stream(data=stream.read(2 * half))
    head = stream.read(half)
    stream.seek(size - half)
    dropped = size - 2 * half
    marker = f"\n[aces-ci: {dropped} bytes left out]\n".encode()
    return Stream(data=head + marker + stream.read(half), dropped=dropped)


def _own_folder(path: Path) -> None:
    """An agent may have put a link where its slot's folder was: it would be collected from, and the next be staged."""
    if path.is_symlink() or not path.is_dir():
        _remove(path)
        path.mkdir(mode=0o700, parents=True)


def _remove(path: Path) -> None:
    """Whatever stands there, however deep and closed it is; Python's own way has a limit of depth."""
    if path.is_dir() and not path.is_symlink():
        for words in (("chmod", "-R", "u+rwX"), ("rm", "-rf")):
            subprocess.run([*words, "--", str(path)], capture_output=True, check=False)
    else:
        path.unlink(missing_ok=True)


SANDBOX = ProcessSandbox()
