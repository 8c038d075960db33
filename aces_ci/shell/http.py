"""HTTP to one forge: the token stays on its host, and what may be asked again is asked again.

Retries are urllib3's, which `requests` transports with. A request that creates something is repeated only
where the server says that it did not act (429, or 403 and 503 with Retry-After).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from aces_ci.core.errors import DeliveryError, NotPermitted
from aces_ci.core.scan.redact import Redactor

REPLY_LIMIT = 16_000_000
"""Bytes of one reply; a page of 100 comments of 65,536 four-byte characters would be 26 MB, and none is
honest."""
WAIT_LIMIT = 120.0
"""Seconds that one client waits for rate limits in all; a quality gate must not hang on them."""
_TIMEOUT = (10.0, 60.0)
_AGAIN = frozenset({429, 500, 502, 503, 504})


class _Again(urllib3.Retry):
    """urllib3's policy, with a waiting time that has an end."""

    RETRY_AFTER_STATUS_CODES = frozenset({403, 429, 503})

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        if method.upper() == "POST":
            said_not_done = status_code == 429 or (has_retry_after and status_code in self.RETRY_AFTER_STATUS_CODES)
            return bool(self.total) and said_not_done
        return super().is_retry(method, status_code, has_retry_after)

    def get_retry_after(self, response: urllib3.BaseHTTPResponse) -> float | None:
        seconds = super().get_retry_after(response)
        return None if seconds is None else min(seconds, WAIT_LIMIT / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Status, lower-case headers, parsed JSON (None where the body is none)."""

    status: int
    headers: Mapping[str, str]
    data: Any
    text: str


class HttpError(DeliveryError):
    """The forge said no. `status` 0: it did not answer; `said` is its own message, at most 300 characters."""

    def __init__(self, message: str, *, status: int, said: str = "", do: str | None = None) -> None:
        super().__init__(message, code="forge_api", why=said or None, do=do)
        self.status = status
        self.said = said


class Forbidden(NotPermitted):
    """403 or 404 on a write, or 401: the token may not."""

    def __init__(self, message: str, *, status: int, said: str) -> None:
        super().__init__(message, code="forge_rights", why=said or None)
        self.status = status
        self.said = said


def _session() -> requests.Session:
    session = requests.Session()
    # Else a .netrc on the runner would replace our Authorization header.
    session.trust_env = False
    adapter = HTTPAdapter(
        max_retries=_Again(
            total=4,
            connect=2,
            read=2,
            backoff_factor=0.5,
            status_forcelist=_AGAIN,
            allowed_methods=frozenset({"GET", "PUT", "PATCH", "DELETE"}),
            raise_on_status=False,
            respect_retry_after_header=True,
        )
    )
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


@dataclass(slots=True)
class Api:
    """A client of one API. `headers` (the token's among them) go to the host of `base_url` only."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    """Sees every body on its way out, after encoding, and every message on its way in."""
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    _http: requests.Session = field(default_factory=_session, init=False, repr=False)
    _waited: float = field(default=0.0, init=False)

    def get(self, path: str, **query: str | int) -> Reply:
        """One GET. Raises HttpError, or Forbidden on 401 and 403."""
        return self._checked(self._send("GET", path, query=query), "GET", path)

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Reply:
        """One write. Raises HttpError, or Forbidden on 401, 403 and 404."""
        return self._checked(self._send(method, path, body=body), method, path)

    def pages(self, path: str, **query: str | int) -> Iterator[Any]:
        """The items of all pages: by GitLab's `X-Next-Page`, else by `Link: rel="next"` on our own host."""
        target: str | None = path
        params: Mapping[str, str | int] = {"per_page": 100, **query}
        while target is not None:
            reply = self._checked(self._send("GET", target, query=params), "GET", path)
            if not isinstance(reply.data, list):
                raise HttpError(f"{path} answered with something that is no list", status=reply.status)
            yield from reply.data
            if "x-next-page" in reply.headers:
                # Its Link may name the server by another address than the one we reach it at.
                number = reply.headers["x-next-page"]
                target, params = (path if number else None), {"per_page": 100, **query, "page": number}
                continue
            links = requests.utils.parse_header_links(reply.headers.get("link", ""))
            target, params = next((link["url"] for link in links if link.get("rel") == "next"), None), {}

    def download(self, path: str, *, limit: int) -> bytes:
        """The bytes behind a URL that may send us to a storage host: followed once, over https, without the
        token.

        Raises:
            HttpError: refused, sent elsewhere twice, or longer than `limit` bytes.
        """
        url = self._url(path)
        reply = self._raw("GET", url, headers=self.headers)
        if reply.status_code in (301, 302, 303, 307, 308):
            target = urljoin(url, reply.headers.get("location", ""))
            reply.close()
            same = _origin(target) == _origin(self.base_url)
            if not same and urlsplit(target).scheme != "https":
                raise HttpError(f"{path} was sent on to an address without https", status=0)
            reply = self._raw("GET", target, headers=self.headers if same else {})
        with reply:
            if reply.status_code != 200:
                raise HttpError(f"{path} could not be downloaded: {reply.status_code}", status=reply.status_code)
            return _bounded(reply, limit)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Reply:
        url = self._url(path)
        headers, data = dict(self.headers), None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = self.redactor.redact(json.dumps(body).encode())
        while True:
            with self._raw(method, url, headers=headers, params=query, data=data) as reply:
                text = _bounded(reply, REPLY_LIMIT).decode("utf-8", "replace")
                pause = self._rate_limit(reply)
                if pause is None:
                    return Reply(
                        status=reply.status_code,
                        headers={key.lower(): value for key, value in reply.headers.items()},
                        data=_json(reply, text),
                        text=text,
                    )
            self._waited += pause
            self.sleep(pause)

    def _raw(self, method: str, url: str, **options: Any) -> requests.Response:
        try:
            return self._http.request(
                method,
                url,
                timeout=_TIMEOUT,
                allow_redirects=False,
                stream=True,
                proxies=requests.utils.get_environ_proxies(url, no_proxy=None),
                **options,
            )
        except requests.RequestException as error:
            raise HttpError(
                f"{urlsplit(url).hostname} did not answer: {self.redactor.text(type(error).__name__)}",
                status=0,
                do="run the job again; the reports are written",
            ) from None

    def _url(self, path: str) -> str:
        url = path if "://" in path else self.base_url.rstrip("/") + path
        if _origin(url) != _origin(self.base_url):
            raise HttpError(f"the forge sent us to another host: {urlsplit(url).hostname}", status=0)
        return url

    def _rate_limit(self, reply: requests.Response) -> float | None:
        """Seconds to wait where the primary limit is used up (it comes without Retry-After), else None."""
        if reply.status_code not in (403, 429) or reply.headers.get("x-ratelimit-remaining") != "0":
            return None
        try:
            pause = float(reply.headers.get("x-ratelimit-reset", "")) - self.now() + 1
        except ValueError:
            return None
        pause = max(1.0, pause)
        return pause if self._waited + pause <= WAIT_LIMIT else None

    def _checked(self, reply: Reply, method: str, path: str) -> Reply:
        if reply.status < 300:
            return reply
        said = self.redactor.text(_said(reply))
        message = f"{method} {path} was answered with {reply.status}"
        if reply.status in (401, 403) or (reply.status == 404 and method != "GET"):
            raise Forbidden(message, status=reply.status, said=said)
        raise HttpError(message, status=reply.status, said=said)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def _bounded(reply: requests.Response, limit: int) -> bytes:
    kept = bytearray()
    try:
        for chunk in reply.iter_content(65536):
            kept += chunk
            if len(kept) > limit:
                raise HttpError(f"the reply is longer than {limit} bytes", status=reply.status_code)
    except requests.RequestException as error:
        raise HttpError(f"the reply broke off: {type(error).__name__}", status=0) from None
    return bytes(kept)


def _json(reply: requests.Response, text: str) -> Any:
    if not text or "json" not in reply.headers.get("content-type", ""):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _said(reply: Reply) -> str:
    """The forge's own words: GitHub's `message` and `errors`, GitLab's `message` or `error`."""
    if not isinstance(reply.data, dict):
        return reply.text.strip()[:300]
    parts = [reply.data.get("message"), reply.data.get("errors"), reply.data.get("error")]
    return "; ".join(part if isinstance(part, str) else str(part) for part in parts if part)[:300]
