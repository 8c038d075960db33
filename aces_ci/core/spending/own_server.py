"""A model server of the user's own as the gateway reaches it."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from aces_ci.core.spending.control import Upstream
from aces_ci.core.spending.exchange import Protocol

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def own_server(name: str, url: str, protocols: tuple[Protocol, ...], *, in_container: bool) -> Upstream:
    """The upstream of a base URL, with or without `/v1`.

    `in_container`: the gateway runs in one, whose loopback is not the user's.
    """
    parts = urlsplit(url.rstrip("/").removesuffix("/v1"))
    if in_container and (parts.hostname or "") in _LOCAL:
        port = f":{parts.port}" if parts.port else ""
        parts = parts._replace(netloc=f"host.docker.internal{port}")
    return Upstream(name=name, base_url=urlunsplit(parts), protocols=protocols, insecure=parts.scheme == "http")
