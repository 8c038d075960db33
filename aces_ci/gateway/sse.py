"""Server-sent events, read and written one by one (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aces_ci.gateway.turn.assembler import SurpriseError

MAX_EVENT = 4 * 1024 * 1024
"""Bytes of one event."""
_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
DONE = "[DONE]"
"""The last event of a Chat stream; not JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event; `name` is empty where the stream gave none."""

    name: str
    data: str

    def encode(self) -> bytes:
        """As it is written to the sandbox, always in the same spelling."""
        head = f"event: {self.name}\n" if self.name else ""
        body = "".join(f"data: {line}\n" for line in self.data.split("\n"))
        return f"{head}{body}\n".encode()


class EventReader:
    """Bytes in pieces of any size to events; comments, ids and retry hints are left out."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that this piece completes.

        Raises:
            SurpriseError: an event is larger than `MAX_EVENT`, not UTF-8, or has a strange name.
        """
        self._buffer += chunk
        start = 0
        while (end := self._buffer.find(b"\n", start)) >= 0:
            line = bytes(self._buffer[start:end]).removesuffix(b"\r")
            start = end + 1
            event = self._line(line)
            if event is not None:
                yield event
        del self._buffer[:start]
        if len(self._buffer) + self._size > MAX_EVENT:
            raise SurpriseError(f"an event of more than {MAX_EVENT} bytes")

    @property
    def torn(self) -> bool:
        """Whether the stream ended inside an event."""
        return bool(self._buffer or self._data)

    def _line(self, line: bytes) -> Event | None:
        if not line:
            event = Event(name=self._name, data="\n".join(self._data)) if self._data else None
            self._name, self._data, self._size = "", [], 0
            return event
        self._size += len(line)
        if self._size > MAX_EVENT:
            raise SurpriseError(f"an event of more than {MAX_EVENT} bytes")
        try:
            field, _, value = line.decode("utf-8").partition(":")
        except UnicodeDecodeError:
            raise SurpriseError("an event that is not UTF-8") from None
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            if not _NAME.fullmatch(value):
                raise SurpriseError("an event with a strange name")
            self._name = value
        return None
