"""The one redactor: known secrets leave no byte sink in any common encoding, whatever the chunks.

Prevention comes first (no sandbox, argument or environment holds a key); this catches our own mistakes. It
stands after JSON encoding and before compression. What it cannot catch: a secret split by other text, in
ROT13, compressed, encrypted, or told in other words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import re2

from aces_ci.core.errors import UsageError
from aces_ci.core.scan.encodings import forms, wrapped

MARK = b"[redacted]"
SHORTEST_SECRET = 8
_BREAK = rb"(?:\r?\n|\\r\\n|\\n|\\\\n)?"
_BREAK_LENGTH = 4


class Redactor:
    """Replaces each occurrence of each secret by `[redacted]`. Immutable; safe to share between threads.

    Raises:
        UsageError: a secret is shorter than eight characters; replacing it would garble every output.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        literal: set[bytes] = set()
        broken: set[bytes] = set()
        for secret in secrets:
            if len(secret.strip()) < SHORTEST_SECRET:
                raise UsageError(
                    f"a secret of {len(secret.strip())} characters cannot be kept out of the output",
                    code="secret_too_short",
                    why="replacing so short a text would garble every log and report",
                    do=f"use a key of at least {SHORTEST_SECRET} characters",
                )
            literal.update(forms(secret))
            broken.update(wrapped(secret))
        self._forms = tuple(sorted(literal, key=lambda form: (-len(form), form)))
        self._wrapped = _compile(broken)
        longest_wrapped = max((len(core) * (1 + _BREAK_LENGTH) for core in broken), default=0)
        self.hold = max([*(len(form) for form in self._forms), longest_wrapped, 1]) - 1
        """Bytes at the end of a stream in which a form may have begun that is not complete yet."""

    def redact(self, data: bytes) -> bytes:
        """`data` without the secrets. Forms that overlap or touch become one mark."""
        stream = Stream(self)
        return stream.feed(data) + stream.close()

    def text(self, text: str) -> str:
        """The same for text; lone surrogates become question marks."""
        return self.redact(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def stream(self) -> Stream:
        """For output that comes in pieces."""
        return Stream(self)

    def covers(self, data: bytes) -> list[tuple[int, int]]:
        """Sorted disjoint ranges of `data` that belong to a secret."""
        found = sorted((*self._literal(data), *self._broken(data)))
        merged: list[tuple[int, int]] = []
        for start, end in found:
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def _literal(self, data: bytes) -> Iterator[tuple[int, int]]:
        for form in self._forms:
            at = data.find(form)
            while at != -1:
                yield at, at + len(form)
                at = data.find(form, at + 1)

    def _broken(self, data: bytes) -> Iterator[tuple[int, int]]:
        if self._wrapped is None or (b"\n" not in data and b"\\n" not in data):
            return
        at = 0
        while (match := self._wrapped.search(data, at)) is not None:
            yield match.start(), match.end()
            at = match.start() + 1


class Stream:
    """Redacts bytes that come in pieces; holds back what may be the beginning of a secret."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._buffer = b""
        self._covered = 0
        """Bytes at the front of the buffer that belong to a mark already given out."""

    def feed(self, chunk: bytes) -> bytes:
        """What may be written now; a secret may only *begin* before the point up to which it is released."""
        self._buffer += chunk
        return self._release(max(0, len(self._buffer) - self._redactor.hold))

    def close(self) -> bytes:
        """The rest. The stream may be fed again afterwards, as a new one."""
        released = self._release(len(self._buffer))
        self._covered = 0
        return released

    def _release(self, cut: int) -> bytes:
        if cut <= 0:
            return b""
        out: list[bytes] = []
        at = self._covered
        for start, end in self._redactor.covers(self._buffer):
            if start >= cut:
                break
            if start > at or (start == at and self._covered == 0):
                out += (self._buffer[at:start], MARK)
            at = max(at, end)
        if at < cut:
            out.append(self._buffer[at:cut])
        self._buffer = self._buffer[cut:]
        self._covered = max(0, at - cut)
        return b"".join(out)


def _compile(cores: Iterable[bytes]) -> Any:
    """One linear-time pattern of all cores with a possible line break after each character, or None."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 256 << 20
    options.log_errors = False
    parts = [_BREAK.join(re2.escape(bytes([byte])) for byte in core) for core in sorted(cores)]
    return re2.compile(b"|".join(parts), options) if parts else None
