"""A provider's answer on its way to the sandbox: looked at event by event, and only then passed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aces_ci.gateway import strict_json
from aces_ci.gateway.sse import DONE, EventReader
from aces_ci.gateway.strict_json import RefusedError
from aces_ci.gateway.turn.assembler import Assembler, SurpriseError

MAX_ANSWER = 64 * 1024 * 1024
SMALL = 32 * 1024
"""Bytes; half of what a transport takes before it asks for a pause."""
WRITE_SECONDS = 30.0
"""A sandbox that reads slower than this for one write has stopped reading."""

Write = Callable[[bytes], Awaitable[None]]
Idle = Callable[[], bool]
"""Whether all that was written has left, so that a small write cannot wait."""


class SlowReaderError(Exception):
    """The sandbox stopped reading."""


@dataclass(slots=True)
class Progress:
    """What has been delivered so far; kept outside, because a relay may be cancelled at any moment."""

    started: bool = False
    """Whether any byte of the answer went to the sandbox."""
    finished: bool = False
    """Whether the event that ends the turn did; a CLI may hang up right after it."""
    secret: bytes = b""
    """The provider's key: an answer that holds it goes no further."""
    taken: bytearray | None = None
    """All bytes that the provider sent, where they are being recorded."""


async def stream(
    chunks: AsyncIterator[bytes], assembler: Assembler, write: Write, idle: Idle, progress: Progress
) -> None:
    """Relay a stream. Returns at its end, whole or not: the assembler knows.

    Raises:
        SurpriseError: the event that holds the surprise, and all after it, are not delivered.
        SlowReaderError: the sandbox stopped reading.
        UnansweredError: the connection to the provider broke.
    """
    reader = EventReader()
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MAX_ANSWER:
            raise SurpriseError(f"an answer of more than {MAX_ANSWER} bytes")
        if progress.taken is not None:
            progress.taken += chunk
        ready = bytearray()
        surprise: SurpriseError | None = None
        try:
            for event in reader.feed(chunk):
                if event.data != DONE:
                    assembler.event(_parsed(event.data))
                if assembler.failed and not progress.started and not ready:
                    return  # nothing was delivered: the caller may still try again
                ready += event.encode()
        except SurpriseError as error:
            surprise = error
        _guard(ready, progress)
        if ready:
            progress.started = True
            if len(ready) <= SMALL and idle():
                await write(bytes(ready))
            else:
                await _patiently(write, bytes(ready))
            progress.finished = assembler.complete
        if surprise is not None:
            raise surprise
    if reader.torn:
        assembler.complete = False


async def whole(chunks: AsyncIterator[bytes], assembler: Assembler, progress: Progress) -> bytes:
    """Read an answer that is not streamed; its bytes, written anew.

    Raises:
        SurpriseError: it is too long or not what was asked for.
        UnansweredError: the connection to the provider broke.
    """
    body = await gather(chunks, MAX_ANSWER)
    _guard(body, progress)
    if progress.taken is not None:
        progress.taken += body
    parsed = _parsed(body.decode("utf-8", errors="surrogateescape"))
    assembler.whole(parsed)
    return strict_json.dump(parsed)


async def gather(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    """All bytes of a body.

    Raises:
        SurpriseError: more than `limit` of them.
    """
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            raise SurpriseError(f"an answer of more than {limit} bytes")
    return bytes(body)


def _guard(data: bytes | bytearray, progress: Progress) -> None:
    if progress.secret and progress.secret in data:
        raise SurpriseError("the answer holds the provider's key")


async def _patiently(write: Write, data: bytes) -> None:
    try:
        async with asyncio.timeout(WRITE_SECONDS):
            await write(data)
    except TimeoutError:
        raise SlowReaderError from None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return strict_json.parse(text)
    except RefusedError as error:
        raise SurpriseError(f"not the protocol's JSON: {error.reason}") from None
