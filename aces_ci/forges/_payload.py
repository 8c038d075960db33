"""Reads an event document of a forge: every value that is missing or of the wrong shape is one located
error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from aces_ci.core.errors import UsageError

SHA = re.compile(r"[0-9a-f]{40}")
NO_COMMIT = "0" * 40


@dataclass(frozen=True, slots=True)
class Payload:
    """A JSON object and where it came from. Paths are dotted: `pull_request.head.sha`."""

    data: Any
    source: str

    def get(self, path: str) -> Any:
        """The value, or None where any part is missing or null."""
        node = self.data
        for part in path.split("."):
            if not isinstance(node, dict):
                return None
            node = node.get(part)
        return node

    def text(self, path: str) -> str:
        """A non-empty string. Raises UsageError."""
        value = self.get(path)
        if isinstance(value, str) and value:
            return value
        raise self.broken(path, "a text")

    def sha(self, path: str) -> str:
        """40 lower-case hex digits that name a commit. Raises UsageError."""
        value = self.get(path)
        if isinstance(value, str) and SHA.fullmatch(value) and value != NO_COMMIT:
            return value
        raise self.broken(path, "a full commit SHA")

    def number(self, path: str) -> int:
        """A positive whole number. Raises UsageError."""
        value = self.get(path)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise self.broken(path, "a positive number")

    def names(self, path: str) -> frozenset[str]:
        """The `name` of each object in a list; empty where there is no list."""
        rows = self.get(path)
        found = [row.get("name") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return frozenset(name for name in found if isinstance(name, str))

    def broken(self, path: str, wanted: str) -> UsageError:
        """The error for a value that is not there."""
        return UsageError(
            f"the event does not say {path}: {wanted} was expected",
            code="event_payload",
            at=self.source,
            path=self.source,
            why="without it aces-ci does not know what to compare",
            do="pass the event file as the runner wrote it",
        )
