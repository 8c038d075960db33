"""A program run once on bytes, for tiers that do no I/O themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What came of it. `exit_code` is None where the process was killed for time or output, or never began."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False
    """It wrote more than the cap; the streams hold what came before."""
    missing: bool = False
    """There is no such program."""


class Runner(Protocol):
    """Runs `argv` without a shell; never raises for what the program does."""

    def __call__(self, argv: Sequence[str], stdin: bytes) -> Completed:
        """Feed `stdin`, wait for the end within the runner's own limits."""
        ...
