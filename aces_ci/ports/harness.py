"""A harness is a pure description of one agent program: how it is started, where skills go, how it fails.

It does no I/O and holds no key: what it gets is the gateway's address and a token that is worth nothing elsewhere.
Both arms are launched by the same `launch`; nothing here may depend on whether a skill is staged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from aces_ci.core.spending.exchange import Protocol as Api
from aces_ci.core.spending.opening import Opening
from aces_ci.core.staging import StagedFile

HOME = "/home/agent"
"""HOME inside an isolated sandbox; descriptions use `Invocation.home`, which the process sandbox sets otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What one trial asks of a harness."""

    prompt: str
    model: str
    base_url: str
    """http, loopback, without a path."""
    api: Api
    """One of the harness's own."""
    token: str
    """Good for one slot, one trial, until the deadline. Not a secret of ours."""
    home: str = HOME
    workspace: str = "/workspace"
    turns: int = 60
    """Model calls after which the harness should stop by itself, where it has such a switch."""
    retries: int = 2
    """How often the harness may repeat a request that the gateway answered with an error."""
    command: tuple[str, ...] = ()
    """The program of the `command` harness, from the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The main process of a trial. `environment` comes on top of HOME, PATH, TMPDIR, LANG and nothing else."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    home: tuple[StagedFile, ...] = ()
    """Configuration files below HOME, the same in both arms."""


class FailureKind(StrEnum):
    """What a harness's own words and exit code say. None of these is ever infrastructure by itself."""

    CONFIGURATION = "configuration"
    """It refused to start as we launched it: our mistake, and every trial would fail alike."""
    AUTHENTICATION = "authentication"
    RATE_LIMIT = "rate_limit"
    PROVIDER_ERROR = "provider_error"
    MAX_TURNS = "max_turns"
    KILLED = "killed"
    TRUNCATED = "truncated"
    """The log ends in the middle of the run, whatever the exit code."""
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One recognised way of not finishing. `because` is a clause in our words, never the log's."""

    kind: FailureKind
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessLog:
    """What a harness left behind. All of it is the agent's word: it may only explain, never score."""

    exit_code: int | None
    """None: killed at the deadline. Negative or above 128: by a signal."""
    stdout: bytes
    stderr: bytes = b""
    home: Mapping[str, bytes] = field(default_factory=dict)
    """Files below HOME that `keep_home` names, by path."""

    @property
    def killed(self) -> bool:
        """Whether a signal ended it. Only the usual ones: some CLIs exit with an HTTP status modulo 256."""
        return self.exit_code is None or self.exit_code < 0 or self.exit_code in (130, 137, 143)


class Harness(Protocol):
    """One agent program."""

    @property
    def name(self) -> str:
        """As in `aces.yml`: `claude-code`."""
        ...

    @property
    def version(self) -> str:
        """The exact version that the image holds; part of every trial's digest."""
        ...

    @property
    def apis(self) -> tuple[Api, ...]:
        """Protocols of the gateway that it speaks, best first; empty where it is not run."""
        ...

    @property
    def recipe(self) -> str | None:
        """Folder of the image's Dockerfile; None: it cannot be run here, only its logs are read."""
        ...

    @property
    def skills(self) -> str:
        """Where it discovers skills, below HOME. There, so that the workspace is the same in all arms."""
        ...

    @property
    def keep_home(self) -> tuple[str, ...]:
        """Path prefixes below HOME that hold its log."""
        ...

    @property
    def opening(self) -> Opening | None:
        """The least that its first request takes; None where that is not known, as of any program."""
        ...

    def launch(self, invocation: Invocation) -> Launch:
        """How to start it: no update, no telemetry, no bundled skill listed, no hosted tool."""
        ...

    def failure(self, log: HarnessLog) -> Failure | None:
        """Why it did not finish, or None where it did. Never raises, whatever the log holds."""
        ...
