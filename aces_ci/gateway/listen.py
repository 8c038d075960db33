"""The sockets on which sandboxes reach the gateway, one a slot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from aces_ci.core.spending.control import Listener
from aces_ci.gateway.socket_path import SocketPath

MAX_CONNECTIONS = 64
"""Open at once on one slot. A CLI needs a handful."""
IDLE_SECONDS = 60
"""A connection without a complete request line and headers for so long is closed."""
MAX_LINE = 2048
MAX_FIELD = 32 * 1024

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Malformed = Callable[[str], web.StreamResponse]
"""Answers what is no request, by the parser's word for its fault."""


class Door:
    """One listening socket."""

    def __init__(self, listener: Listener, handler: Handler, malformed: Malformed) -> None:
        self.listener = listener
        self._handler, self._malformed = handler, malformed
        self._web: web.Server | None = None
        self._server: asyncio.Server | None = None
        self._place = SocketPath(listener.path) if listener.path is not None else None

    async def open(self) -> int | None:
        """Start to listen; the port where it is a TCP socket."""
        self._web = web.Server(self._handler, handler_cancellation=True)
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
        if served is None or len(served.connections) >= MAX_CONNECTIONS:
            return _Closed()
        return _Client(served, self._malformed)

    async def close(self) -> None:
        """Stop listening and drop what is open."""
        if self._server is not None:
            self._server.close()
        if self._web is not None:
            await self._web.shutdown(timeout=0.1)
        if self._place is not None:
            self._place.remove()


class _Client(web.RequestHandler):
    """One connection. What aiohttp's parser refuses never gets as far as a handler: it is told here."""

    __slots__ = ("_malformed",)

    def __init__(self, served: web.Server, malformed: Malformed) -> None:
        quiet = logging.getLogger("aces_ci.gateway.http")
        if not quiet.handlers:
            quiet.addHandler(logging.NullHandler())
        quiet.propagate = False  # aiohttp logs what it refuses, and that is the sandbox's text
        super().__init__(
            served,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]  # what `web.Server` itself passes on for none
            logger=quiet,
            keepalive_timeout=IDLE_SECONDS,
            max_line_size=MAX_LINE,
            max_field_size=MAX_FIELD,
            lingering_time=2.0,
            auto_decompress=False,
        )
        self._malformed = malformed

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """A fault of the framing is recorded by its kind: the parser's message quotes the sandbox."""
        if isinstance(exc, HttpProcessingError):
            return self._malformed(type(exc).__name__)
        return super().handle_error(request, status, exc, message)


class _Closed(asyncio.Protocol):
    """Hangs up at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
