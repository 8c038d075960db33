"""`network.allow`: exact hosts, public addresses, the right name in the TLS greeting, a cap on bytes."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci.core.spending.control import Limits, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trial import Arm
from aces_ci.gateway.armcheck import ArmWatch
from aces_ci.gateway.lease import Lease
from aces_ci.gateway.policy.request import Terms
from aces_ci.gateway.tunnel import DeniedError, Tunnel, is_global, resolve
from aces_ci.gateway.upstream import Channel
from tests.gateway.rig import ORDER, TOKEN

HOST = "localhost"
"""Stands for an allowed public host; the tests say that its address counts as one."""
AUTH = base64.b64encode(f"aces:{TOKEN}".encode()).decode()


def _lease(limits: Limits | None = None) -> Lease:
    order = replace(ORDER, hosts=(HOST,), limits=limits or Limits(), arm=Arm.BASELINE)
    return Lease(
        order=order,
        terms=Terms(model="m", max_output=1),
        channel=Channel(Upstream(name="x", base_url="https://x", protocols=tuple(Protocol))),
        price=None,
        watch=ArmWatch(order.expectation),
        places=asyncio.Semaphore(1),
        deadline=float("inf"),
    )


@asynccontextmanager
async def _world(
    tmp_path: Path, lease: Lease | None, *, public: bool = True
) -> AsyncIterator[tuple[Path, list[bytes]]]:
    """A far server that keeps what it gets and answers `far`, and the tunnel to it."""
    got: list[bytes] = []

    async def far(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while chunk := await reader.read(65536):
                got.append(chunk)
                writer.write(b"far")
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(far, "localhost", 0)
    port = server.sockets[0].getsockname()[1]
    path = tmp_path / "tunnel.sock"
    tunnel = Tunnel(str(path), lambda: lease, port=port, admissible=lambda address: public)
    await tunnel.open()
    try:
        yield path, got
    finally:
        await tunnel.close()
        server.close()


async def _connect(path: Path, line: str, *rows: str) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write("\r\n".join([line, *rows, "", ""]).encode())
    await writer.drain()
    async with asyncio.timeout(5):
        return await reader.readline(), reader, writer


def _hello(name: str | None) -> bytes:
    """A real TLS greeting for a server name."""
    context = ssl.create_default_context()
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


CONNECT = f"CONNECT {HOST}:443 HTTP/1.1"
PASS = f"Proxy-Authorization: Basic {AUTH}"


def test_an_allowed_host_is_reached_and_listed(tmp_path: Path) -> None:
    async def scenario() -> None:
        lease = _lease()
        async with _world(tmp_path, lease) as (path, got):
            status, reader, writer = await _connect(path, CONNECT, PASS)
            assert status == b"HTTP/1.1 200 Connection established\r\n"
            hello = _hello(HOST)
            writer.write(hello)
            await writer.drain()
            assert await reader.readline() == b"\r\n"
            assert await reader.read(3) == b"far"
            assert b"".join(got) == hello
            writer.close()
            assert lease.record().hosts == (HOST,)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("line", "rows", "status"),
    [
        (CONNECT, [], 407),
        (CONNECT, ["Proxy-Authorization: Basic " + base64.b64encode(b"aces:wrong").decode()], 407),
        (CONNECT, [PASS, PASS], 407),
        (CONNECT, [f"Proxy-Authorization: Bearer {TOKEN}"], 407),
        ("CONNECT example.org:443 HTTP/1.1", [PASS], 403),
        (f"CONNECT {HOST}:22 HTTP/1.1", [PASS], 403),
        (f"CONNECT {HOST.upper()}:443 HTTP/1.1", [PASS], 403),
        (f"CONNECT {HOST}.:443 HTTP/1.1", [PASS], 403),
        (f"CONNECT sub.{HOST}:443 HTTP/1.1", [PASS], 403),
        ("CONNECT 127.0.0.1:443 HTTP/1.1", [PASS], 403),
        (f"GET https://{HOST}/ HTTP/1.1", [PASS], 403),
        (CONNECT, [PASS, *("x-a: " + "b" * 5000 for _ in range(3))], 431),
    ],
)
def test_anything_else_is_denied(tmp_path: Path, line: str, rows: list[str], status: int) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease()) as (path, got):
            first, _, writer = await _connect(path, line, *rows)
            assert first.split()[1] == str(status).encode()
            assert got == []
            writer.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("hello", [_hello("example.org"), _hello(None), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b""])
def test_a_greeting_that_names_another_host_never_arrives(tmp_path: Path, hello: bytes) -> None:
    async def scenario() -> None:
        lease = _lease()
        async with _world(tmp_path, lease) as (path, got):
            _, reader, writer = await _connect(path, CONNECT, PASS)
            writer.write(hello)
            writer.write_eof()
            async with asyncio.timeout(5):
                assert b"far" not in await reader.read()
            assert got == []
            assert lease.record().hosts == ()
            writer.close()

    asyncio.run(scenario())


def test_the_cap_on_bytes_ends_the_tunnel(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, _lease(Limits(tunnel_bytes=10_000))) as (path, got):
            _, reader, writer = await _connect(path, CONNECT, PASS)
            writer.write(_hello(HOST))
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                for _ in range(1000):
                    writer.write(b"x" * 1000)
                    await writer.drain()
                    await asyncio.sleep(0)
                await reader.readexactly(10**9)
            assert 0 < sum(map(len, got)) <= 10_000
            writer.close()

    asyncio.run(scenario())


def test_without_a_trial_on_the_slot_there_is_no_tunnel(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with _world(tmp_path, None) as (path, _):
            first, _, writer = await _connect(path, CONNECT, PASS)
            assert first.split()[1] == b"407"
            writer.close()

    asyncio.run(scenario())


def test_a_name_that_points_inwards_is_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        lookups = []

        async def getaddrinfo(host: str, port: int, **_: object) -> list[object]:
            lookups.append(host)
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
                for address in ("93.184.215.14", "10.0.0.1")
            ]

        monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
        with pytest.raises(DeniedError, match="public internet"):
            await resolve("rebinding.example", is_global)
        assert lookups == ["rebinding.example"], "it is looked up once, and that address is used"

    asyncio.run(scenario())


def test_only_the_public_internet_is_global() -> None:
    for address in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"):
        assert is_global(address), address
    for address in (
        "127.0.0.1",
        "10.1.2.3",
        "172.17.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
    ):
        assert not is_global(address), address
