"""`network.allow`: exact hosts, the right name in the TLS greeting, caps on bytes, and a line for every connection."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.core.spending.control import Limits, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trial import Arm
from aces_ci.gateway import greeting, tunnel
from aces_ci.gateway.armcheck import ArmWatch
from aces_ci.gateway.internet import Internet
from aces_ci.gateway.lease import Lease
from aces_ci.gateway.policy.request import Terms
from aces_ci.gateway.tunnel import Tunnel
from aces_ci.gateway.upstream import Channel
from tests.gateway.rig import ORDER, TOKEN, rig

HOST = "files.example.org"
"""Stands for an allowed public host: the tests' own internet leads to a server on loopback."""
AUTH = base64.b64encode(f"aces:{TOKEN}".encode()).decode()
CONNECT = f"CONNECT {HOST}:443 HTTP/1.1"
PASS = f"Proxy-Authorization: Basic {AUTH}"


def _lease(limits: Limits | None = None, deadline: float = float("inf")) -> Lease:
    order = replace(ORDER, hosts=(HOST,), limits=limits or Limits(), arm=Arm.BASELINE)
    return Lease(
        order=order,
        terms=Terms(model="m", max_output=1),
        channel=Channel(Upstream(name="x", base_url="https://x", protocols=tuple(Protocol))),
        price=None,
        watch=ArmWatch(order.expectation),
        places=asyncio.Semaphore(1),
        deadline=deadline,
    )


Talk = tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class World:
    """A far server that keeps what it gets, and the tunnel to it."""

    path: Path
    tunnel: Tunnel
    lease: Lease | None
    got: bytearray = field(default_factory=bytearray)
    calls: int = 0

    async def connect(self, line: str = CONNECT, *rows: str) -> Talk:
        """The answer's first line, its other ones read."""
        reader, writer = await asyncio.open_unix_connection(str(self.path))
        writer.write("\r\n".join([line, *(rows or (PASS,)), "", ""]).encode())
        await writer.drain()
        async with asyncio.timeout(5):
            first = await reader.readline()
            while (await reader.readline()).strip():
                pass
        return first, reader, writer

    async def told(self) -> tuple[Connection, ...]:
        """The record, once every connection has ended."""
        async with asyncio.timeout(5):
            while self.tunnel._open:
                await asyncio.sleep(0.01)
        assert self.lease is not None
        return self.lease.record().connections


@asynccontextmanager
async def _world(tmp_path: Path, lease: Lease | None, *, answer: bytes = b"far") -> AsyncIterator[World]:
    async def far(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        world.calls += 1
        try:
            while chunk := await reader.read(65536):
                world.got += chunk
                writer.write(answer)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def lookup(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    server = await asyncio.start_server(far, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    path = tmp_path / "net.sock"
    internet = Internet(lookup=lookup, admissible=lambda address: True, port=port)
    world = World(path, Tunnel(str(path), lambda: world.lease, internet), lease)
    await world.tunnel.open()
    try:
        yield world
    finally:
        await world.tunnel.close()
        server.close()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """What still arrives; a hang-up with something unread is a reset here."""
    try:
        async with asyncio.timeout(5):
            return await reader.read()
    except ConnectionError:
        return b""


def _hello(name: str | None) -> bytes:
    """A real TLS greeting for a server name."""
    context = ssl.create_default_context()
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def test_an_allowed_host_is_reached_and_every_byte_is_counted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            status, reader, writer = await world.connect()
            assert status == b"HTTP/1.1 200 Connection established\r\n"
            hello = _hello(HOST)
            for part in (hello[:3], hello[3:200], hello[200:]):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.01)
            assert await reader.readexactly(3) == b"far"
            assert world.got == hello
            writer.close()
            (told,) = await world.told()
            assert (told.host, told.passage, told.because) == (HOST, Passage.REACHED, "")
            assert (told.sent, told.received) == (len(hello), 3) and 0 < told.seconds < 5

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("line", "rows", "status", "host"),
    [
        (CONNECT, ["X: y"], 407, HOST),
        (CONNECT, ["Proxy-Authorization: Basic " + base64.b64encode(b"aces:wrong").decode()], 407, HOST),
        ("CONNECT other.example.org:443 HTTP/1.1", [PASS], 403, "other.example.org"),
        (f"CONNECT {HOST}:22 HTTP/1.1", [PASS], 403, HOST),
        (f"CONNECT {HOST}.:443 HTTP/1.1", [PASS], 403, f"{HOST}."),
        (f"CONNECT sub.{HOST}:443 HTTP/1.1", [PASS], 403, f"sub.{HOST}"),
        ("CONNECT example.org:443 HTTP/1.1", [PASS], 403, "example.org"),
        ("CONNECT 127.0.0.1:443 HTTP/1.1", [PASS], 403, "127.0.0.1"),
        ("CONNECT 169.254.169.254:443 HTTP/1.1", [PASS], 403, "169.254.169.254"),
        ("CONNECT localhost:443 HTTP/1.1", [PASS], 403, "localhost"),
        (f"GET https://{HOST}/ HTTP/1.1", [PASS], 403, ""),
        (f"CONNECT me@{HOST}:443 HTTP/1.1", [PASS], 403, f"me?{HOST}"),
        (CONNECT, [PASS, *("x-a: " + "b" * 5000 for _ in range(3))], 431, ""),
    ],
)
def test_anything_else_reaches_nobody_and_is_written_down(
    tmp_path: Path, line: str, rows: list[str], status: int, host: str
) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            first, _, writer = await world.connect(line, *rows)
            assert first.split()[1] == str(status).encode()
            writer.close()
            (told,) = await world.told()
            assert (told.passage, told.host, told.sent, told.received) == (Passage.REFUSED, host, 0, 0)
            assert told.because and (world.calls, world.got) == (0, b"")

    asyncio.run(scenario())


def test_a_client_that_waits_to_be_asked_is_asked(tmp_path: Path) -> None:
    """git and others present the token only after this (RFC 9110 section 11.7.1)."""

    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            reader, writer = await asyncio.open_unix_connection(str(world.path))
            writer.write(f"{CONNECT}\r\n\r\n".encode())
            answer = await reader.read()
            assert b'proxy-authenticate: Basic realm="aces-ci"\r\n' in answer and b"connection: close\r\n" in answer
            writer.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        (_hello("evil.example"), "names another host"),
        (_hello(f"sub.{HOST}"), "names another host"),
        (_hello(None), "no TLS greeting"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "no TLS greeting"),
        (b"\x16\x03\x01\xff\xff" + b"\x01" * 40_000, "no TLS greeting"),
        (_hello(HOST)[:50], "no TLS greeting"),
        (b"", "no TLS greeting"),
    ],
    # A greeting holds random bytes, and workers must agree on the names of tests.
    ids=["another host", "a host below it", "no name", "plain HTTP", "endless", "cut off", "nothing"],
)
def test_a_greeting_that_names_another_host_never_arrives(tmp_path: Path, hello: bytes, why: str) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            _, reader, writer = await world.connect()
            writer.write(hello)
            writer.write_eof()
            async with asyncio.timeout(5):
                answer = await reader.read()
            assert not answer or answer[0] == 0x15, "nothing, or a TLS alert; never text inside what speaks TLS"
            (told,) = await world.told()
            assert told.passage is Passage.REFUSED and why in told.because
            assert (told.sent, told.received, world.got) == (0, 0, b"")
            writer.close()

    asyncio.run(scenario())


def test_a_silent_client_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(greeting, "SECONDS", 0.05)

    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            reader, writer = await asyncio.open_unix_connection(str(world.path))
            writer.write(CONNECT.encode())
            async with asyncio.timeout(5):
                assert (await reader.readline()).split()[1] == b"408"
            writer.close()
            _, reader, writer = await world.connect()
            async with asyncio.timeout(5):
                await reader.read()
            writer.close()
            assert [row.passage for row in await world.told()] == [Passage.REFUSED] * 2

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("limits", "because"),
    [
        (Limits(sent_bytes=10_000), "more than 10000 bytes sent"),
        (Limits(received_bytes=10_000), "more than 10000 bytes received"),
    ],
)
def test_a_cap_on_bytes_ends_the_tunnel_and_opens_no_other(tmp_path: Path, limits: Limits, because: str) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease(limits), answer=b"y" * 3000) as world:
            _, reader, writer = await world.connect()
            writer.write(_hello(HOST))
            arrived = 0
            try:
                async with asyncio.timeout(5):
                    for _ in range(1000):
                        writer.write(b"x" * 1000)
                        await writer.drain()
                        arrived += len(await reader.read(3000))
            except ConnectionError:
                pass
            (told,) = await world.told()
            assert told.passage is Passage.CUT and because in told.because
            assert len(world.got) == told.sent <= limits.sent_bytes and arrived <= told.received
            assert told.received <= limits.received_bytes
            assert max(told.sent, told.received) > 6000
            writer.close()
            first, _, writer = await world.connect()
            assert first.startswith(b"HTTP/1.1 403 more than 10000 bytes")
            writer.close()

    asyncio.run(scenario())


def test_the_cap_is_the_trials_and_not_each_connections(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease(Limits(sent_bytes=1200))) as world:
            for _ in range(4):
                first, reader, writer = await world.connect()
                if b" 200 " in first:
                    writer.write(_hello(HOST))
                    await reader.read(3)
                writer.close()
                await world.told()
            told = await world.told()
            assert sum(row.sent for row in told) <= 1200
            assert [row.passage for row in told].count(Passage.REACHED) < 4 and told[-1].sent == 0

    asyncio.run(scenario())


def test_silence_both_ways_ends_it_and_one_busy_direction_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tunnel, "IDLE_SECONDS", 0.3)

    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as world:
            _, reader, writer = await world.connect()
            writer.write(_hello(HOST))
            begun = asyncio.get_running_loop().time()
            for _ in range(5):
                writer.write(b"x")
                await asyncio.sleep(0.15)
            assert world.tunnel._open, "0.75 s with something passing"
            async with asyncio.timeout(5):
                while await reader.read(100):
                    pass
            assert asyncio.get_running_loop().time() - begun > 0.8
            (told,) = await world.told()
            assert (told.passage, told.because) == (Passage.CUT, "nothing passed for 0.3 s")
            writer.close()

    asyncio.run(scenario())


def test_a_long_download_is_no_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "IDLE_SECONDS", 0.2)

    async def scenario() -> None:
        async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(65536)
            for _ in range(10):
                writer.write(b"z")
                await writer.drain()
                await asyncio.sleep(0.08)
            writer.close()

        async def lookup(host: str) -> tuple[str, ...]:
            return ("127.0.0.1",)

        server = await asyncio.start_server(slow, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        lease = _lease()
        path = tmp_path / "net.sock"
        opened = Tunnel(str(path), lambda: lease, Internet(lookup=lookup, admissible=lambda address: True, port=port))
        await opened.open()
        world = World(path, opened, lease)
        _, reader, writer = await world.connect()
        writer.write(_hello(HOST))
        async with asyncio.timeout(5):
            assert await reader.read() == b"z" * 10
        (told,) = await world.told()
        assert (told.passage, told.received) == (Passage.REACHED, 10)
        writer.close()
        await opened.close()
        server.close()

    asyncio.run(scenario())


def test_the_end_of_a_trial_ends_its_tunnels_with_their_bytes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease(deadline=time.monotonic() + 0.4)) as world:
            _, reader, writer = await world.connect()
            writer.write(_hello(HOST))
            assert await reader.readexactly(3) == b"far"
            (told,) = await world.told()
            assert (told.passage, told.because) == (Passage.CUT, "its trial's time was over")
            assert told.received == 3
            writer.close()
        async with _world(tmp_path, _lease()) as world:
            _, reader, writer = await world.connect()
            writer.write(_hello(HOST))
            assert await reader.readexactly(3) == b"far"
            await world.tunnel.hang_up()
            assert world.lease is not None
            (told,) = world.lease.record().connections
            assert (told.passage, told.because, told.received) == (Passage.CUT, "its trial ended", 3)
            assert await _rest(reader) == b""
            writer.close()

    asyncio.run(scenario())


def test_a_gateway_that_takes_a_slot_back_waits_for_its_tunnels_and_tells_their_bytes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def far(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(65536)
            writer.write(b"far")
            with contextlib.suppress(ConnectionError):
                await reader.read(65536)
            writer.close()

        async def lookup(host: str) -> tuple[str, ...]:
            return ("127.0.0.1",)

        server = await asyncio.start_server(far, "127.0.0.1", 0)
        internet = Internet(lookup=lookup, admissible=lambda address: True, port=server.sockets[0].getsockname()[1])
        path = tmp_path / "net.sock"
        async with rig(order=None, slots=1, tunnel=path, internet=internet) as it:
            it.gateway.arm(replace(ORDER, slot="s1", hosts=(HOST,)))
            reader, writer = await asyncio.open_unix_connection(str(path))
            writer.write(f"{CONNECT}\r\n{PASS}\r\n\r\n".encode() + (hello := _hello(HOST)))
            async with asyncio.timeout(5):
                assert b"200" in await reader.readuntil(b"\r\n\r\n")
                assert await reader.readexactly(3) == b"far"
            (told,) = (await it.gateway.disarm("s1")).connections
            assert (told.passage, told.sent, told.received) == (Passage.CUT, len(hello), 3)
            assert await _rest(reader) == b""
            writer.close()
        server.close()

    asyncio.run(scenario())


def test_a_swarm_of_connections_is_bounded_and_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "MAX_OPEN", 8)

    async def scenario() -> None:
        async with _world(tmp_path, _lease(Limits(connections=20))) as world:
            held = [await asyncio.open_unix_connection(str(world.path)) for _ in range(40)]
            await asyncio.sleep(0.1)
            assert len(world.tunnel._open) == 8
            for _, writer in held:
                writer.close()
            await world.told()
            for _ in range(30):
                reader, writer = await asyncio.open_unix_connection(str(world.path))
                writer.write(f"CONNECT evil.example:443 HTTP/1.1\r\n{PASS}\r\n\r\n".encode())
                await _rest(reader)
                writer.close()
            told = await world.told()
            assert len(told) <= 21
            assert [row.because for row in told if not row.host].count("more than 20 connections in this trial") == 1

    asyncio.run(scenario())


def test_without_a_trial_on_the_slot_there_is_no_tunnel(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, None) as world:
            reader, writer = await asyncio.open_unix_connection(str(world.path))
            writer.write(f"{CONNECT}\r\n{PASS}\r\n\r\n".encode())
            assert await _rest(reader) == b""
            writer.close()

    asyncio.run(scenario())
