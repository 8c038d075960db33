"""Which sessions a folder of logs holds: one trajectory is one run, and two that are merged are none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from aces_ci.core.trace import lines

STREAMS = ("stdout.jsonl", "stdout.txt", "harness.log", "stdout")
"""Names under which the output of a run is collected."""
_IDENTITIES = ("session_id", "sessionId", "sessionID", "thread_id")


def sessions(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """One path for each session, to be converted by itself: the folder of its output, else the session's file.

    What a subagent writes belongs to the session that called it. A file that names no session is nobody's.
    """
    outputs = [path for path in sorted(files) if PurePosixPath(path).name in STREAMS]
    if len({PurePosixPath(path).parent for path in outputs}) > 1:
        return tuple(dict.fromkeys(str(PurePosixPath(path).parent) for path in outputs))
    found: dict[str, str] = {}
    for path, data in sorted(files.items()):
        identity = _identity(data)
        if identity is not None:
            found.setdefault(identity, path)
    return tuple(found.values())


def _identity(data: bytes) -> str | None:
    """The first that the log names; a file of a subagent names its caller's."""
    for event in lines.read(data).objects:
        for key in _IDENTITIES:
            if isinstance(value := event.get(key), str):
                return value
    return None
