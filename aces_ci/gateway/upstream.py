"""The way to a provider: one fixed address, one connection pool a trial, retries before the first byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
from urllib3.exceptions import InvalidHeader, MaxRetryError, ProtocolError
from urllib3.util.retry import Retry

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import Upstream

RETRIED = frozenset({408, 429, 500, 502, 503, 504, 529})
MAX_RETRY_AFTER = 60.0
"""Seconds; a provider that asks for more is not waited for longer."""
CONNECT_SECONDS = 20.0
SILENCE_SECONDS = 600.0
"""Longest pause of a provider that is still thinking."""


class UnansweredError(Exception):
    """No HTTP status came back. `sent`: the request may have reached the provider, and may be billed."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's answer: its status line is here, its body is still to come."""

    status: int
    content_type: str
    retry_after: str | None
    request_id: str | None
    chunks: AsyncIterator[bytes]
    """Ends normally only if the body was whole.

    Raises UnansweredError where the connection broke.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often and how patiently a request is sent again; urllib3 decides."""

    retries: int = 3
    backoff: float = 0.5
    """Seconds; doubled with each attempt after the second."""

    def begin(self) -> Retry:
        """The state of a request that was not sent yet."""
        return Retry(
            total=self.retries,
            backoff_factor=self.backoff,
            backoff_max=20,
            backoff_jitter=self.backoff / 2,
            allowed_methods=None,
        )


def again(state: Retry, retry_after: str | None) -> tuple[Retry, float] | None:
    """The next state and the seconds to wait before it; None: that was the last attempt."""
    try:
        state = state.increment(method="POST", url="/", error=ProtocolError("again"))
    except MaxRetryError:
        return None
    wait = state.get_backoff_time()
    with suppress(InvalidHeader):
        wait = max(wait, state.parse_retry_after(retry_after or "0"))
    return state, min(wait, MAX_RETRY_AFTER)


def checked(upstream: Upstream) -> Upstream:
    """The same, if its address is one that a key may be sent to.

    Raises:
        UsageError: not https, or with a user, query or fragment in it.
    """
    parts = urlsplit(upstream.base_url)
    encrypted = parts.scheme == "https" or (parts.scheme == "http" and upstream.insecure)
    extras = parts.query or parts.fragment or "@" in parts.netloc
    if encrypted and parts.hostname and not extras:
        return upstream
    raise UsageError(
        f"the base URL of {upstream.name} is not usable",
        code="gateway_base_url",
        why="a provider's key is only sent over https, or over http where the policy says insecure",
        do="write it as https://host, without user, query or fragment",
    )


class Channel:
    """One trial's connections to one provider."""

    def __init__(self, upstream: Upstream) -> None:
        self._base = checked(upstream).base_url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, path: str, raw: bytes, headers: Mapping[str, str]) -> Answer:
        """Send one request and wait for the answer's status.

        Raises:
            UnansweredError: none came.
        """
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=SILENCE_SECONDS),
            )
        try:
            response = await self._session.post(f"{self._base}{path}", data=raw, headers=headers, allow_redirects=False)
        except (aiohttp.ClientConnectorError, aiohttp.InvalidURL, aiohttp.ConnectionTimeoutError) as error:
            raise UnansweredError(f"not reached: {type(error).__name__}", sent=False) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise UnansweredError(f"no answer: {type(error).__name__}", sent=True) from None
        return Answer(
            status=response.status,
            content_type=response.content_type,
            retry_after=response.headers.get("retry-after"),
            request_id=response.headers.get("request-id") or response.headers.get("x-request-id"),
            chunks=_chunks(response),
        )

    async def close(self) -> None:
        """Drop all connections, those in use as well."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _chunks(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for chunk in response.content.iter_any():
            yield chunk
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise UnansweredError(f"cut: {type(error).__name__}", sent=True) from None
    except (GeneratorExit, asyncio.CancelledError):
        response.close()
        raise
    finally:
        response.release() if response.content.at_eof() else response.close()
