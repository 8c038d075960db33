"""Recorded answers: a provider's bytes under the digest of the request that they answered.

A replayed run goes through the same policy, ledger and relay as a live one; only the provider is a tape. Each
line is authenticated, because a recording decides what an agent does (key by HKDF, RFC 5869).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from aces_ci.gateway.strict_json import canonical
from aces_ci.gateway.upstream import Answer

TAPE_VERSION = 1
_LABEL = b"aces-recording-v1"
_FIELDS = frozenset({"v", "trial", "digest", "nth", "status", "type", "body", "mac"})


def derive(secret: str) -> bytes:
    """The key that authenticates recordings, from a provider key; it says nothing about that key."""
    pseudo = hmac.digest(b"\x00" * 32, secret.encode(), hashlib.sha256)
    return hmac.digest(pseudo, _LABEL + b"\x01", hashlib.sha256)


class Tape:
    """Answers by trial, request digest and how often that trial asked it."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._lines: dict[tuple[str, str, int], Mapping[str, Any]] = {}
        self._elsewhere: dict[tuple[str, int], Mapping[str, Any]] = {}
        self._asked: dict[tuple[str, str], int] = {}

    def load(self, line: Mapping[str, Any]) -> bool:
        """Take a line in; False where it was not written by this tool with this key."""
        if set(line) != _FIELDS or line.get("v") != TAPE_VERSION:
            return False
        if not hmac.compare_digest(str(line["mac"]), self._mac(line)):
            return False
        key = (str(line["trial"]), str(line["digest"]), int(line["nth"]))
        self._lines[key] = line
        self._elsewhere.setdefault(key[1:], line)
        return True

    def ask(self, trial: str, digest: str) -> Answer | None:
        """The recorded answer, the same trial's first; None: a miss."""
        nth = self.count(trial, digest)
        line = self._lines.get((trial, digest, nth)) or self._elsewhere.get((digest, nth))
        if line is None:
            return None
        return Answer(
            status=int(line["status"]),
            content_type=str(line["type"]),
            retry_after=None,
            request_id=None,
            chunks=_once(str(line["body"]).encode("utf-8")),
        )

    def count(self, trial: str, digest: str) -> int:
        """Which time this is that the trial asks this, from 1."""
        nth = self._asked.get((trial, digest), 0) + 1
        self._asked[trial, digest] = nth
        return nth

    def forget(self, trial: str) -> None:
        """A trial is over; if it is armed again it starts from its first answer."""
        for key in [key for key in self._asked if key[0] == trial]:
            del self._asked[key]

    def record(
        self, *, trial: str, digest: str, nth: int, status: int, content_type: str, body: bytes
    ) -> dict[str, Any] | None:
        """The line to keep; None where the body is not text and so no answer of ours."""
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return None
        line: dict[str, Any] = {
            "v": TAPE_VERSION,
            "trial": trial,
            "digest": digest,
            "nth": nth,
            "status": status,
            "type": content_type,
            "body": text,
        }
        return {**line, "mac": self._mac(line)}

    def _mac(self, line: Mapping[str, Any]) -> str:
        signed = {name: value for name, value in line.items() if name != "mac"}
        return hmac.new(self._key, canonical(signed), hashlib.sha256).hexdigest()


def tape_key(recording_key: str | None, keys: Iterable[str]) -> bytes | None:
    """The key given, or one derived from the first provider key; None where there is neither."""
    if recording_key:
        return derive(recording_key)
    first = next(iter(keys), None)
    return derive(first) if first else None


async def _once(body: bytes) -> AsyncIterator[bytes]:
    if body:
        yield body
