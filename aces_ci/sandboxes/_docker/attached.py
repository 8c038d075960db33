"""An attached container: its streams as frames, its standard input, and one close that leaves nothing open."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from docker.utils.socket import STDOUT, SocketError, frames_iter


class Attached:
    """Attach before the start: what is read ahead of the daemon's answer would be lost otherwise."""

    def __init__(self, raw: Any) -> None:
        """`raw` is what docker's `attach_socket` gives: the socket itself, or a reader around it."""
        self._raw = raw
        self._socket: socket.socket = getattr(raw, "_sock", raw)
        self._socket.settimeout(None)

    def frames(self) -> Iterator[tuple[bytes | None, bytes | None]]:
        """(output, error) as they come; ends with the container, or when the connection does."""
        with suppress(OSError, ValueError, SocketError):
            for stream, data in frames_iter(self._socket, tty=False):  # type: ignore[no-untyped-call]
                yield (data, None) if stream == STDOUT else (None, data)

    def send(self, data: bytes) -> None:
        """To standard input. Raises OSError."""
        self._socket.sendall(data)

    def hang_up(self) -> None:
        """End both directions; a reader in another thread then comes to its end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back."""
        self.hang_up()
        response = getattr(self._raw, "_response", None)
        # The response first: it flushes what it reads from, and that may not be closed by then.
        for held in (response, self._raw, self._socket):
            with suppress(OSError, ValueError):
                if held is not None:
                    held.close()
