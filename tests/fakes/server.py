"""A server on loopback with routes, a record of all traffic, and answers that can be forced once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What came in. `path` is below the API's root and still percent-encoded; header names are lower-case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes out. `body` is JSON unless it is bytes; None: no body."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request with its answer."""

    request: Request
    answer: Answer


class Refused(Exception):
    """A route's way to answer with an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


Handler = Callable[..., Answer]


@dataclass(slots=True)
class LoopbackServer:
    """Routes are (method, pattern) with `{name}` for one path segment; the handler gets (request, **names).

    One lock around every handler: the state behind it may be plain dictionaries.
    """

    prefix: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    forced: list[tuple[str, str, Answer]] = field(default_factory=list)
    """(method, substring of the path, answer), each used once, first match first."""
    before: Callable[[Request], None] | None = None
    """Runs ahead of routing, e.g. to check the token."""
    watch: Callable[[Request, Answer], None] | None = None
    """Sees every exchange after it was handled, outside the lock: where a test steps between two requests."""
    _routes: list[tuple[str, re.Pattern[str], Handler]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """The API's root."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.prefix}"

    def route(self, method: str, pattern: str, handler: Handler) -> None:
        """Add one route."""
        names = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
        self._routes.append((method, re.compile(names), handler))

    def force(self, method: str, path: str, answer: Answer, *, times: int = 1) -> None:
        """Answer the next requests whose path holds `path` with `answer` instead."""
        self.forced.extend([(method, path, answer)] * times)

    def seen(self, method: str, path: str = "") -> list[Exchange]:
        """The exchanges of one method whose path holds `path`."""
        return [item for item in self.exchanges if item.request.method == method and path in item.request.path]

    def answer(self, request: Request) -> Answer:
        """What the server answers to `request`; recorded."""
        with self._lock:
            answer = self._answer(request)
            self.exchanges.append(Exchange(request=request, answer=answer))
        if self.watch:
            self.watch(request, answer)
        return answer

    def _answer(self, request: Request) -> Answer:
        for index, (method, path, answer) in enumerate(self.forced):
            if method == request.method and path in request.path:
                del self.forced[index]
                return answer
        try:
            if self.before:
                self.before(request)
            for method, pattern, handler in self._routes:
                found = pattern.fullmatch(request.path)
                if found and method == request.method:
                    return handler(request, **{name: unquote(value) for name, value in found.groupdict().items()})
        except Refused as refusal:
            return refusal.answer
        return Answer(status=404, body={"message": "Not Found"})

    @contextmanager
    def running(self) -> Iterator[LoopbackServer]:
        """Serve until the block ends."""
        fake = self

        class _Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and body in one segment: two would wait 40 ms for the client's delayed acknowledgement.
            wbufsize = -1
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(length)
                parts = urlsplit(self.path)
                answer = fake.answer(
                    Request(
                        method=self.command,
                        path=parts.path.removeprefix(fake.prefix),
                        query=dict(parse_qsl(parts.query)),
                        headers={key.lower(): value for key, value in self.headers.items()},
                        body=_parsed(raw),
                    )
                )
                binary = isinstance(answer.body, bytes)
                data = answer.body if binary else b"" if answer.body is None else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                kind = "application/octet-stream" if binary else "application/json; charset=utf-8"
                for key, value in {"Content-Type": kind, **answer.headers}.items():
                    self.send_header(key, value)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if answer.status != 204:
                    self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        self._server = server
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _parsed(raw: bytes) -> Any:
    if not raw:
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return raw


def paged(request: Request, rows: list[Any], url: str, *, default: int) -> Answer:
    """One page of `rows` with the `Link` header both forges send."""
    size = min(int(request.query.get("per_page", default)), 100)
    page = int(request.query.get("page", 1))
    last = max(1, -(-len(rows) // size))
    base = f"{url}{request.path}?" + "".join(f"{key}={value}&" for key, value in request.query.items() if key != "page")
    links = []
    if page < last:
        links.append(f'<{base}page={page + 1}>; rel="next"')
        links.append(f'<{base}page={last}>; rel="last"')
    headers = {"Link": ", ".join(links)} if links else {}
    return Answer(body=rows[(page - 1) * size : page * size], headers=headers)
