"""The first bytes of a TLS client, read by our own TLS library: which server does it want to speak to?"""

from __future__ import annotations

import asyncio
import ssl

from aces_ci.gateway.internet import DeniedError

SECONDS = 30.0
MOST = 32 * 1024
"""Bytes of a greeting; post-quantum ones are 2 kB."""


class MisnamedError(DeniedError):
    """Not TLS, or for another server. `alert` is what a TLS client understands; empty for others."""

    def __init__(self, why: str, alert: bytes) -> None:
        super().__init__(403, why)
        self.alert = alert


async def read(reader: asyncio.StreamReader, host: str) -> bytes:
    """The greeting, whole, once it names `host` (RFC 6066 section 3).

    Raises:
        MisnamedError: not TLS, no name, or another one. Nothing of it may be sent on.
    """
    named: list[str | None] = []

    def note(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> int:
        named.append(name)
        return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = note
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    listener = context.wrap_bio(incoming, outgoing, server_side=True)
    taken = bytearray()
    try:
        async with asyncio.timeout(SECONDS):
            while len(taken) < MOST and not named and (chunk := await reader.read(4096)):
                taken += chunk
                incoming.write(chunk)
                try:
                    listener.do_handshake()
                except ssl.SSLWantReadError:
                    continue
                except ssl.SSLError:
                    break
    except TimeoutError:
        pass  # silence names nobody
    if named != [host]:
        why = "the TLS greeting names another host" if named and named[0] else "no TLS greeting that names the host"
        raise MisnamedError(why, outgoing.read())
    return bytes(taken)
