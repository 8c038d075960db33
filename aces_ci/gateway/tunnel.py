"""`network.allow`: CONNECT to exact hosts on port 443, for trials whose policy names them.

The sandbox keeps `--network none`; its proxy is a second unix socket of its slot. Every connection is written down,
with its bytes or with why it was refused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.gateway import connect, greeting, guard
from aces_ci.gateway.internet import DeniedError, Internet
from aces_ci.gateway.lease import Lease
from aces_ci.gateway.socket_path import SocketPath

HEAD_SECONDS = 30.0
IDLE_SECONDS = 120.0
"""Without a byte in either direction."""
MAX_OPEN = 64
"""On one slot, those that have not said yet what they want included."""
_CHALLENGE = 'proxy-authenticate: Basic realm="aces-ci"\r\n'


@dataclass(slots=True)
class _Journey:
    """One connection while it lasts."""

    begun: float = field(default_factory=time.monotonic)
    active: float = field(default_factory=time.monotonic)
    host: str = ""
    passage: Passage = Passage.FAILED
    because: str = "it hung up before its request was complete"
    sent: int = 0
    received: int = 0
    opened: bool = False
    """The client was told so: from now on it speaks TLS, not HTTP."""
    half: bool = False
    """One side has said all it had to say."""

    def ends(self, passage: Passage, because: str = "") -> None:
        self.passage, self.because = passage, because

    def told(self) -> Connection:
        return Connection(
            host=self.host,
            passage=self.passage,
            because=self.because,
            sent=self.sent,
            received=self.received,
            seconds=round(time.monotonic() - self.begun, 3),
        )


class Tunnel:
    """The proxy socket of one slot. `lease` gives the trial that holds the slot now."""

    def __init__(self, path: str, lease: Callable[[], Lease | None], internet: Internet) -> None:
        self._place = SocketPath(path)
        self._lease = lease
        self._internet = internet
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_unix_server(self._accept, str(self._place), limit=connect.MAX_HEAD)
        self._place.bound()

    async def restore(self) -> None:
        """Listen at the path anew where an agent took the socket away. Raises OSError."""
        if self._place.lost:
            if self._server is not None:
                self._server.close()
            self._place.clear()
            await self.open()

    async def hang_up(self) -> None:
        """End what is open: its trial is over, and its bytes are final when this returns."""
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
        await self.hang_up()
        self._place.remove()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lease = self._lease()
        if lease is None or len(self._open) >= MAX_OPEN or not lease.connects():
            writer.close()
            return
        task = asyncio.create_task(self._serve(lease, reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, lease: Lease, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        journey = _Journey()
        left = None if lease.deadline == float("inf") else max(0.0, lease.deadline - time.monotonic())
        try:
            async with asyncio.timeout(left):
                await self._carry(lease, journey, reader, writer)
        except DeniedError as error:
            journey.ends(error.passage, str(error))
            journey.host = journey.host or error.host
            writer.write(_answer(error, opened=journey.opened))
        except TimeoutError:
            journey.ends(Passage.CUT, "its trial's time was over")
        except (OSError, asyncio.IncompleteReadError):
            pass  # one side hung up; how far it had come is said already
        except asyncio.CancelledError:
            journey.ends(Passage.CUT, "its trial ended")
        finally:
            lease.connected(journey.told())
            writer.close()

    async def _carry(
        self, lease: Lease, journey: _Journey, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        host = await self._admit(lease, journey, reader)
        journey.ends(Passage.FAILED, "the client hung up")
        far_reader, far_writer = await self._internet.dial(host)
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            journey.opened = True
            await writer.drain()
            hello = await greeting.read(reader, host)
            journey.ends(Passage.REACHED)
            if _spends(lease, journey, sent=len(hello)):
                far_writer.write(hello)
                async with asyncio.TaskGroup() as group:
                    group.create_task(_pump(lease, journey, reader, far_writer, outward=True))
                    group.create_task(_pump(lease, journey, far_reader, writer, outward=False))
        except* OSError:
            pass  # a tunnel ends as a connection ends
        finally:
            far_writer.close()

    async def _admit(self, lease: Lease, journey: _Journey, reader: asyncio.StreamReader) -> str:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise DeniedError(431, "headers too large") from None
        except TimeoutError:
            raise DeniedError(408, "no complete request in time") from None
        asked = connect.parse(head[:-4])
        journey.host = asked.host
        if not (lease.valid() and guard.same(asked.token, lease.order.token)):
            raise DeniedError(407, "the token is not valid here" if asked.token else "it presented no token")
        if asked.host not in lease.order.hosts:
            raise DeniedError(403, "this host is not allowed")
        if lease.spent:
            raise DeniedError(403, lease.spent)
        return asked.host


def _answer(error: DeniedError, *, opened: bool) -> bytes:
    if opened:
        return error.alert if isinstance(error, greeting.MisnamedError) else b""
    challenge = _CHALLENGE if error.status == 407 else ""
    return f"HTTP/1.1 {error.status} {error}\r\n{challenge}content-length: 0\r\nconnection: close\r\n\r\n".encode()


def _spends(lease: Lease, journey: _Journey, *, sent: int = 0, received: int = 0) -> bool:
    """Count bytes that are about to pass; False: they may not, and the tunnel ends."""
    if not lease.spends(sent, received):
        journey.ends(Passage.CUT, lease.spent)
        return False
    journey.sent += sent
    journey.received += received
    journey.active = time.monotonic()
    return True


async def _pump(
    lease: Lease, journey: _Journey, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, outward: bool
) -> None:
    """One direction, until its source ends. Raises ConnectionAbortedError: a cap, or silence both ways."""
    while True:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                chunk = await reader.read(64 * 1024)
        except TimeoutError:
            if time.monotonic() - journey.active < IDLE_SECONDS:
                continue
            if not journey.half:
                journey.ends(Passage.CUT, f"nothing passed for {IDLE_SECONDS:g} s")
            raise ConnectionAbortedError from None
        if not chunk:
            break
        size = len(chunk)
        if not _spends(lease, journey, sent=size if outward else 0, received=0 if outward else size):
            raise ConnectionAbortedError
        writer.write(chunk)
        await writer.drain()
    journey.half = True
    if writer.can_write_eof():
        writer.write_eof()
