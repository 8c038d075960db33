"""The hidden first line by which a comment of ours is known again.

A marker counts only as the exact first line of a comment, and only together with the comment's author:
anyone may write or quote one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_MARKER = re.compile(
    r"<!-- aces-ci:comment v1 key=([a-z0-9][a-z0-9._-]{0,63}) head=([0-9a-f]{40})"
    r"(?: since=([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{1,6})?Z))? -->"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """Which sticky comment this is (`key`), and which commit it speaks of (`head`)."""

    key: str
    head: str
    since: str | None = None
    """The server's time at which a result for `head` first stood here; None: when the comment was last written."""

    @property
    def line(self) -> str:
        """The marker as it stands in the comment, without a newline."""
        since = "" if self.since is None else f" since={self.since}"
        return f"<!-- aces-ci:comment v1 key={self.key} head={self.head}{since} -->"


def read_marker(body: str) -> Marker | None:
    """The marker in the first line of `body` (LF or CRLF), or None."""
    found = _MARKER.fullmatch(body.split("\n", 1)[0].rstrip("\r"))
    return Marker(key=found[1], head=found[2], since=found[3]) if found else None


def with_since(body: str, since: str | None) -> str:
    """`body` with that time in its marker, or without any; as it is where its first line is none."""
    marker = read_marker(body)
    if marker is None or marker.since == since:
        return body
    return replace(marker, since=since).line + body[len(body.split("\n", 1)[0].rstrip("\r")) :]
