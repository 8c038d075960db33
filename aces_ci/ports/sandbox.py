"""Where an agent runs: files in, one main process, files and both streams out.

A sandbox holds no key. Its only peer is the gateway's socket of its slot, which the agent reaches at `base_url`.
Implementations pass `tests/contracts/test_sandbox.py`; the fake is one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from aces_ci.core.spending.control import Listener
from aces_ci.core.staging import StagedFile

MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one trial may use. All of it is part of the trial's digest: another limit is another trial."""

    seconds: float = 600.0
    """From the start of the main process; then it is killed."""
    memory_bytes: int = 4096 * MIB
    """Swap is the same limit, so none. The in-memory file systems below count into it."""
    cpus: float = 2.0
    processes: int = 512
    files_open: int = 4096
    file_bytes: int = 256 * MIB
    """Of one file, holes included (RLIMIT_FSIZE): a sparse file of terabytes is refused."""
    workspace_bytes: int = 512 * MIB
    workspace_inodes: int = 20_000
    home_bytes: int = 512 * MIB
    home_inodes: int = 20_000
    scratch_bytes: int = 256 * MIB
    """Of /tmp."""
    log_bytes: int = 64 * MIB
    """Of both streams together; then it is killed."""
    log_kept_bytes: int = 8 * MIB
    """Of each stream: half from its head, half from its tail."""
    collect_bytes: int = 64 * MIB
    collect_file_bytes: int = 16 * MIB
    collect_entries: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One trial as the sandbox knows it: neither arm nor skill nor case is named here."""

    slot: int
    """0-based; the slot's gateway socket is the only way out."""
    image: str
    """What `Sandbox.image` answered; the process sandbox ignores it."""
    command: tuple[str, ...]
    environment: Mapping[str, str]
    """All of it: nothing is inherited. HOME, PATH and TMPDIR are the sandbox's own."""
    stdin: bytes = b""
    workspace: tuple[StagedFile, ...] = ()
    home: tuple[StagedFile, ...] = ()
    keep_home: tuple[str, ...] = ()
    """Path prefixes below HOME that are collected: the harness's own log."""
    limits: Limits = Limits()
    network: bool = False
    """Whether the agent gets a way to the slot's CONNECT proxy at `Session.proxy`, for hosts of `network.allow`."""


class End(StrEnum):
    """How the main process ended. `LOST` and `NOT_STARTED` are the daemon's word; nothing inside can cause them."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    LOG_FLOOD = "log_flood"
    CANCELLED = "cancelled"
    """The caller's `stop` was set, or it refused the turn."""
    NOT_STARTED = "not_started"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A bounded copy of an output stream."""

    data: bytes = b""
    """Head and tail, joined by one line that counts the gap, where there is one."""
    dropped: int = 0
    """Bytes left out of the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedFile:
    """One regular file as it lay in the stopped sandbox."""

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came back. `notes` are sentences: what was skipped, which limit was reached."""

    end: End
    because: str = ""
    exit_code: int | None = None
    stdout: Stream = Stream()
    stderr: Stream = Stream()
    workspace: tuple[CollectedFile, ...] = ()
    home: tuple[CollectedFile, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    """Of the main process."""
    overhead_seconds: float = 0.0
    """Staging, starting and collecting: all else of the call but the wait for its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The gateway's process: our own image and the command in it. The key never stands here."""

    image: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    published: str | None = None
    """Where `image` is to be had; None: somebody chose `image`, and no other one will do."""
    digest: str = ""
    """What the sandbox's `gateway` said of it: the daemon is not asked again. Empty: it was not asked yet."""


class Channel(Protocol):
    """Lines to and from the gateway process: its stdin, its stdout. Thread-safe for one writer and one reader."""

    def send(self, line: str) -> None:
        """One line without its newline. Raises SandboxLost when the process is gone."""
        ...

    def receive(self, timeout: float) -> str | None:
        """The next line, None after `timeout` seconds. Raises SandboxLost when the process is gone."""
        ...


class SandboxLost(Exception):
    """The daemon, or the gateway's container, is gone: infrastructure, never the agent's doing."""


class Turn(Protocol):
    """When a staged job's main process may start."""

    def wait(self) -> bool:
        """Blocks until it may: True; or shall not any more: False."""
        ...

    def over(self) -> None:
        """It has ended, what is left is collecting. Called once after each granted `wait`, whatever happened."""
        ...


class AtOnce:
    """The turn of one who need not wait."""

    def wait(self) -> bool:
        """True."""
        return True

    def over(self) -> None:
        """Nobody waits."""


AT_ONCE = AtOnce()
NEVER_BEGUN = Ran(end=End.CANCELLED, because="the run was over before it started")
"""What comes of a job whose turn was refused."""


class Session(Protocol):
    """An open sandbox: a gateway and as many slots as jobs are staged, run or collected at once."""

    gateway: Channel

    def base_url(self, slot: int) -> str:
        """Where an agent in this slot finds the gateway: http, loopback, no path."""
        ...

    def proxy(self, slot: int) -> str:
        """`host:port` of the slot's CONNECT proxy, for the next job with `network`."""
        ...

    def home(self, slot: int) -> str:
        """HOME of the slot's next agent, as the agent sees it."""
        ...

    def workspace(self, slot: int) -> str:
        """Working directory of the slot's next agent, as the agent sees it."""
        ...

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Where the gateway shall listen, one a slot, in their order, each with a place for a CONNECT proxy."""
        ...

    def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
        """Stage, wait for the turn, run, collect, remove. Blocking; called from as many threads as there are slots, a
        slot once at a time. Never raises for what an agent or the daemon does: that is `Ran.end`; a turn that is
        refused is `CANCELLED`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRequest:
    """Which image a harness needs."""

    recipe: str
    """Folder under `aces_ci/sandboxes/images`; the harness's name."""
    environment: tuple[StagedFile, ...] = ()
    """The skill's own `evals/environment/`, its Dockerfile among them: trusted changes only (docs/trust.md rule 14)."""
    base: str | None = None
    """Image that the recipe builds on; None: the recipe's own default. Policy side only."""
    fetch: str | None = None
    """Image with npm that the recipe's first stage runs in; None: the recipe's own default. Policy side only."""
    files: tuple[StagedFile, ...] = ()
    """Further files of ours in the build context."""
    build: bool = True
    """False: only found, never built; UsageError where it is missing."""
    command: tuple[str, ...] = ()
    """How its agent is started: a sandbox without images has to find that on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An image by the name that it is found by, and those that it is built on, pulled where they are missing."""

    name: str
    bases: tuple[str, ...] = ()


class Sandbox(Protocol):
    """A kind of sandbox."""

    name: str
    isolates: bool
    """False: for the author's own work only; CI refuses it for untrusted changes."""
    stages_ahead: bool
    """Whether staging and collecting take so long that they are worth doing in a slot of their own beside others."""

    def image(self, request: ImageRequest) -> str:
        """Digest of the image, built where it is missing. Raises UsageError: no daemon, it cannot be built, or, where
        there are no images, the program is not on this machine."""
        ...

    def wanted(self, request: ImageRequest) -> Wanted | None:
        """Which image that is, told without a daemon; None where there are no images. Raises UsageError: no recipe."""
        ...

    def gateway(self, program: Program) -> str:
        """Digest of the gateway's image: as chosen, else the one that this process runs in, else ours by name, pulled
        where it is missing. Empty where there are no images. Raises UsageError."""
        ...

    def open(self, *, run: str, slots: int, program: Program, limits: Limits) -> AbstractContextManager[Session]:
        """Start the gateway with `slots` sockets; on leaving, everything that carries the run's label is removed.

        So is, before anything starts, what a killed process left under the same label: nobody else may use `run` now.
        With `run` go its parts, `run.part`: sessions that are opened and left while that of `run` is open.

        Raises UsageError where the daemon does not answer, SandboxLost where the gateway does not come up.
        """
        ...
