"""The public internet as sandboxes may reach it: a name is looked up once a run and pinned, inwards goes nothing."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aces_ci.core.spending.connection import Passage

PORT = 443
LOOKUP_SECONDS = 15.0
DIAL_SECONDS = 10.0
"""For each address of a host."""
_ALLOCATED = ipaddress.ip_network("2000::/3")
"""All IPv6 unicast space that is given out. Outside lie loopback, mapped, translated (64:ff9b::/96), local ones."""
_INWARD = tuple(
    map(
        ipaddress.ip_network,
        (
            "168.63.129.16/32",  # the platform's own server of every Azure machine, hosted runners among them
            "192.0.0.0/24",  # protocol assignments, with one cloud's metadata in it
            "192.88.99.0/24",  # relays to 6to4
            "2001::/23",  # Teredo and other protocols: IPv4 addresses in disguise
            "2002::/16",  # 6to4: an IPv4 address in disguise
            "3fff::/20",  # documentation, younger than the library's table
        ),
    )
)
Lookup = Callable[[str], Awaitable[tuple[str, ...]]]


class DeniedError(Exception):
    """The tunnel is not opened. `status` is what the client is told, `passage` what is written down."""

    def __init__(self, status: int, why: str, *, passage: Passage = Passage.REFUSED, host: str = "") -> None:
        super().__init__(why)
        self.status, self.passage, self.host = status, passage, host


async def system_lookup(host: str) -> tuple[str, ...]:
    """All addresses of a host. Raises OSError: it has none."""
    rows = await asyncio.get_running_loop().getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(row[4][0]) for row in rows))


def is_global(address: str) -> bool:
    """Whether an address belongs to the public internet. One that carries another inside does not."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if parsed.version == 6 and ("%" in address or parsed not in _ALLOCATED):
        return False
    inward = any(parsed.version == network.version and parsed in network for network in _INWARD)
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved and not inward


@dataclass(frozen=True, slots=True, kw_only=True)
class Internet:
    """How hosts are found. Only tests make one that is not the real one: no option, setting or order reaches it."""

    lookup: Lookup = system_lookup
    admissible: Callable[[str], bool] = is_global
    port: int = PORT
    _pins: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Those of the first lookup of this run, so that both arms reach the same machine and no later answer counts.

        Raises:
            DeniedError: none, or any that is not a public one: a name that points inwards is an attack.
        """
        if host not in self._pins:
            try:
                async with asyncio.timeout(LOOKUP_SECONDS):
                    found = await self.lookup(host)
            except (OSError, TimeoutError, UnicodeError):
                raise DeniedError(502, "the host was not found", passage=Passage.FAILED) from None
            if not found or not all(map(self.admissible, found)):
                raise DeniedError(403, "the host does not point to the public internet")
            self._pins.setdefault(host, found)
        return self._pins[host]

    async def dial(self, host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first pinned address that answers. Raises DeniedError."""
        for address in await self.addresses(host):
            try:
                async with asyncio.timeout(DIAL_SECONDS):
                    return await asyncio.open_connection(address, self.port)
            except (OSError, TimeoutError):
                continue
        raise DeniedError(504, "the host did not answer", passage=Passage.FAILED)
