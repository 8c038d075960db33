"""Who reads an agent's own log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from aces_ci.core.trace.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What one run of an agent left behind. Everything in it is the agent's word."""

    stdout: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Session files by path relative to where they were collected."""
    prompt: str | None = None
    """The task as given, for logs that do not show it."""
    model: str | None = None
    version: str | None = None


class Converter(Protocol):
    """One harness's log format."""

    name: str
    """Name of the harness."""

    def claims(self, log: Log) -> bool:
        """Whether the log is in this format: by shape, never by file name."""
        ...

    def convert(self, log: Log) -> Trajectory | None:
        """The trajectory, with origin `log` and what was lost in `extra.aces`; None where no step can be
        made.

        Never raises on any bytes.
        """
        ...
