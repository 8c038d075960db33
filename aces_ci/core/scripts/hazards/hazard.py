"""What is dangerous about one command, as a value that rules and the security metric share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.finding import Confidence, Severity


class Kind(StrEnum):
    """Which harm."""

    DESTRUCTIVE = "destructive"
    """Deletes or overwrites what cannot be brought back."""
    REMOTE_CODE = "remote_code"
    """Runs code that nobody looked at: fetched, or decoded, and executed in one go."""
    EXFILTRATION = "exfiltration"
    """Sends private data away, or opens a way in."""
    SECRET_READ = "secret_read"
    """Reads credentials."""
    UNATTENDED = "unattended"
    """Switches a safeguard off: confirmations, permissions of agents, certificate checks."""
    PRIVILEGE = "privilege"
    """Gains rights, or gives them away."""
    PERSISTENCE = "persistence"
    """Plants something that runs later or elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard:
    """One dangerous shape at one command.

    `severity` is how bad the command is when it is run as written; who reads documentation, or knows the
    workspace, may lower it. Places are those of the command.
    """

    kind: Kind
    shape: str
    """A stable slug of the pattern, e.g. `rm-root`."""
    severity: Severity
    message: str
    """What it does, one clause that begins with a verb in the third person, no full stop."""
    command: int
    """Index of the command in the parsed script."""
    line: int
    column: int
    end_line: int
    end_column: int
    source: str
    """The command as it is written."""
    confidence: Confidence = Confidence.HIGH
    target: str | None = None
    """The path, host or file that makes it dangerous."""
    doubt: str = ""
    """Why its text alone leaves room for daily work, one sentence; "" where the sign cannot be mistaken."""
