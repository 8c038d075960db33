"""One connection of a sandbox to a host that `network.allow` names, or does not name, as the gateway saw it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Passage(StrEnum):
    """How a connection ended."""

    REACHED = "reached"
    """The host was reached, and either side ended it."""
    REFUSED = "refused"
    """By the policy: nothing was sent to anybody."""
    FAILED = "failed"
    """The host was not found, did not answer, or hung up before a TLS greeting: nobody's misdeed."""
    CUT = "cut"
    """Ended by us: a cap on bytes, a time-out, the end of the trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Host and figures. What was sent is TLS, which nobody here can read."""

    host: str
    """As asked for, printable ASCII; empty where the request named none. An agent chose it: data, never markup."""
    passage: Passage
    because: str = ""
    """One clause for everything but REACHED."""
    sent: int = 0
    """Bytes from the sandbox to the host, TLS included."""
    received: int = 0
    seconds: float = 0.0
