"""The client library's way to the daemon's unix socket, with one thing mended: it dropped its own, open, where the
daemon did not answer."""

from __future__ import annotations

import socket
from typing import Any

from docker.api import APIClient
from docker.transport import unixconn

_SCHEME = "http+docker://"


class _Connection(unixconn.UnixHTTPConnection):
    def connect(self) -> None:
        """As the library's; what cannot be connected is closed. Raises OSError."""
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            opened.settimeout(self.timeout)
            opened.connect(self.unix_socket)
        except BaseException:
            opened.close()
            raise
        self.sock = opened


class _Pool(unixconn.UnixHTTPConnectionPool):
    def _new_conn(self) -> Any:
        seconds: Any = self.timeout
        return _Connection(self.base_url, self.socket_path, seconds)


class _Adapter(unixconn.UnixHTTPAdapter):
    def get_connection(self, url: Any, proxies: Any = None) -> _Pool:
        """The pool of an address, made where there is none yet."""
        with self.pools.lock:
            pool = self.pools.get(url)
            if pool is None:
                pool = self.pools[url] = _Pool(url, self.socket_path, self.timeout, maxsize=self.max_pool_size)
            return pool


def mended(api: APIClient, *, connections: int) -> APIClient:
    """The same client; one that speaks over TCP is as it was."""
    theirs = api.adapters.get(_SCHEME)
    if isinstance(theirs, unixconn.UnixHTTPAdapter):
        theirs.close()
        api.mount(_SCHEME, _Adapter(f"http+unix://{theirs.socket_path}", theirs.timeout, max_pool_size=connections))
    return api
