"""A loopback port for a relay."""

from __future__ import annotations

import socket


def free_port() -> int:
    """One that nobody listens on now. Another program may take it before the relay does: the agent then fails."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port
