"""`network.allow`: CONNECT to exact hosts on port 443, for trials whose policy names them.

The sandbox keeps `--network none`; its proxy is a second unix socket of its slot. A host is resolved here, once,
and only to addresses of the public internet; the TLS greeting must name the same host.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from aces_ci.gateway import guard
from aces_ci.gateway.lease import Lease

PORT = 443
HEAD_SECONDS = 30.0
IDLE_SECONDS = 120.0
MAX_HEAD = 8 * 1024
MAX_HELLO = 32 * 1024
_HEAD = re.compile(rb"CONNECT ([a-z0-9.-]{1,253}):443 HTTP/1\.1")

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses behind a translator (RFC 6052)."""


class DeniedError(Exception):
    """The tunnel is not opened. `status` is what the client is told."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Tunnel:
    """The proxy socket of one slot. `lease` gives the trial that holds the slot now."""

    def __init__(
        self,
        path: str,
        lease: Callable[[], Lease | None],
        *,
        port: int = PORT,
        admissible: Callable[[str], bool] | None = None,
    ) -> None:
        self._path = path
        self._lease = lease
        self._port = port
        self._admissible = admissible or is_global
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_HEAD)
        Path(self._path).chmod(0o660)

    async def close(self) -> None:
        """Stop listening; open tunnels end with their sandboxes."""
        if self._server is not None:
            self._server.close()
        Path(self._path).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            lease, host = await self._admit(reader)
            address = await resolve(host, self._admissible)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await writer.drain()
            hello = await _hello(reader, host)
            lease.hosts.add(host)
            await self._join(lease, address, hello, reader, writer)
        except DeniedError as error:
            writer.write(f"HTTP/1.1 {error.status} {error}\r\ncontent-length: 0\r\n\r\n".encode("ascii"))
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # either side hung up or fell silent
        finally:
            writer.close()

    async def _admit(self, reader: asyncio.StreamReader) -> tuple[Lease, str]:
        lease = self._lease()
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise DeniedError(431, "headers too large") from None
        first, *rest = head[:-4].split(b"\r\n")
        match = _HEAD.fullmatch(first)
        if lease is None or not (lease.valid() and guard.same(_password(rest), lease.order.token)):
            raise DeniedError(407, "the token is not valid here")
        if match is None:
            raise DeniedError(403, "only CONNECT host:443")
        host = match.group(1).decode("ascii")
        if host not in lease.order.hosts:
            raise DeniedError(403, "this host is not allowed")
        return lease, host

    async def _join(
        self,
        lease: Lease,
        address: str,
        hello: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        far_reader, far_writer = await asyncio.open_connection(address, self._port)
        try:
            far_writer.write(hello)
            lease.tunnel_bytes += len(hello)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(lease, reader, far_writer))
                group.create_task(_pump(lease, far_reader, writer))
        except* (OSError, TimeoutError):
            pass  # the tunnel ends as a connection ends
        finally:
            far_writer.close()


async def resolve(host: str, admissible: Callable[[str], bool]) -> str:
    """One address of the host, looked up once.

    Raises:
        DeniedError: none, or any that is not a public one: a name that points inwards is an attack.
    """
    loop = asyncio.get_running_loop()
    try:
        rows = await loop.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    except OSError:
        raise DeniedError(502, "the host was not found") from None
    addresses = [str(row[4][0]) for row in rows]
    if not addresses or not all(map(admissible, addresses)):
        raise DeniedError(403, "the host does not point to the public internet")
    return addresses[0]


def is_global(address: str) -> bool:
    """Whether an address belongs to the public internet; those that embed another are judged by it."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return inner.is_global
    return parsed.is_global and not parsed.is_multicast


async def _hello(reader: asyncio.StreamReader, host: str) -> bytes:
    """The client's TLS greeting; our own TLS library reads which server it names.

    Raises:
        DeniedError: not TLS, or another name.
    """
    named: list[str | None] = []

    def note(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> int:
        named.append(name)
        return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = note
    incoming = ssl.MemoryBIO()
    listener = context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True)
    taken = bytearray()
    while len(taken) < MAX_HELLO:
        async with asyncio.timeout(HEAD_SECONDS):
            chunk = await reader.read(4096)
        if not chunk:
            break
        taken += chunk
        incoming.write(chunk)
        try:
            listener.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLError:
            break
    if named != [host]:
        raise DeniedError(403, "the TLS greeting does not name the host")
    return bytes(taken)


async def _pump(lease: Lease, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        async with asyncio.timeout(IDLE_SECONDS):
            chunk = await reader.read(64 * 1024)
        lease.tunnel_bytes += len(chunk)
        if not chunk or lease.tunnel_bytes > lease.order.limits.tunnel_bytes or not lease.valid():
            break
        writer.write(chunk)
        await writer.drain()
    if not chunk and writer.can_write_eof():
        writer.write_eof()
        return
    raise ConnectionAbortedError


def _password(rows: list[bytes]) -> str | None:
    """The password of `Proxy-Authorization: Basic`; None where it is absent, repeated or malformed."""
    found = [row.partition(b":")[2].strip() for row in rows if row.lower().startswith(b"proxy-authorization:")]
    if len(found) != 1 or not found[0].lower().startswith(b"basic "):
        return None
    try:
        return base64.b64decode(found[0][6:], validate=True).decode("ascii").partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return None
