"""The sockets on which sandboxes reach the gateway, one a slot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from aces_ci.core.spending.control import Listener
from aces_ci.gateway.socket_path import SocketPath

MAX_CONNECTIONS = 64
"""Open at once on one slot. A CLI needs a handful."""
IDLE_SECONDS = 60
"""A connection without a complete request line and headers for so long is closed."""
MAX_LINE = 2048
MAX_FIELD = 32 * 1024

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Door:
    """One listening socket."""

    def __init__(self, listener: Listener, handler: Handler) -> None:
        self.listener = listener
        self._handler = handler
        self._web: web.Server | None = None
        self._server: asyncio.Server | None = None
        self._place = SocketPath(listener.path) if listener.path is not None else None

    async def open(self) -> int | None:
        """Start to listen; the port where it is a TCP socket."""
        quiet = logging.getLogger("aces_ci.gateway.http")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False  # aiohttp logs what it refuses, and that is the sandbox's text
        self._web = web.Server(
            self._handler,
            handler_cancellation=True,
            access_log=None,
            logger=quiet,
            keepalive_timeout=IDLE_SECONDS,
            max_line_size=MAX_LINE,
            max_field_size=MAX_FIELD,
            lingering_time=2.0,
            auto_decompress=False,
        )
        if self._place is not None:
            await self._bind(self._place)
            return None
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._connect, self.listener.host, self.listener.port or 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def restore(self) -> None:
        """Listen at the path anew where an agent took the socket away. Raises OSError."""
        if self._place is not None and self._place.lost:
            if self._server is not None:
                self._server.close()
            self._place.clear()
            await self._bind(self._place)

    async def _bind(self, place: SocketPath) -> None:
        self._server = await asyncio.get_running_loop().create_unix_server(self._connect, str(place))
        place.bound()

    def _connect(self) -> asyncio.Protocol:
        served = self._web
        return _Closed() if served is None or len(served.connections) >= MAX_CONNECTIONS else served()

    async def close(self) -> None:
        """Stop listening and drop what is open."""
        if self._server is not None:
            self._server.close()
        if self._web is not None:
            await self._web.shutdown(timeout=0.1)
        if self._place is not None:
            self._place.remove()


class _Closed(asyncio.Protocol):
    """Hangs up at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
