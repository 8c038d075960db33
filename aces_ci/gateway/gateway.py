"""The gateway as an object: slots that are lent to trials and taken back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import ArmSlot, Configuration, Listener, Secrets, Upstream
from aces_ci.core.spending.exchange import Exchange, Reserved, TrialRecord
from aces_ci.core.spending.hosts import wrong_with
from aces_ci.core.spending.price_table import price_of
from aces_ci.gateway.armcheck import ArmWatch
from aces_ci.gateway.desk import Desk
from aces_ci.gateway.fetch import Fetcher
from aces_ci.gateway.internet import Internet
from aces_ci.gateway.lease import Lease
from aces_ci.gateway.ledger import Ledger
from aces_ci.gateway.listen import Door
from aces_ci.gateway.policy.request import Terms
from aces_ci.gateway.tape import Tape, tape_key
from aces_ci.gateway.tunnel import Tunnel
from aces_ci.gateway.upstream import Channel, Patience, checked

MODES = frozenset({"live", "record", "replay"})
MIN_TOKEN = 16


class Gateway:
    """All slots of one run. `exchanged` and `recorded` are called with every record and recorded answer, `reserved`
    before a request goes out that costs money; the request waits for what it returns.
    """

    def __init__(
        self,
        configuration: Configuration,
        secrets: Secrets,
        *,
        exchanged: Callable[[Exchange], None],
        recorded: Callable[[dict[str, Any]], None] = lambda line: None,
        reserved: Callable[[Reserved], asyncio.Future[bool] | None] = lambda reserved: None,
        patience: Patience | None = None,
        room: Callable[[], Awaitable[None]] | None = None,
        internet: Internet | None = None,
    ) -> None:
        """Raises UsageError where the configuration cannot work."""
        _check(configuration)
        self._configuration = configuration
        self._upstreams: Mapping[str, Upstream] = {item.name: checked(item) for item in configuration.upstreams}
        key = tape_key(secrets.recording_key, secrets.keys.values())
        if configuration.mode != "live" and key is None:
            raise _wrong("recordings need a key", "recording_key", "give the key that the recording was made with")
        self._tape = Tape(key) if key is not None and configuration.mode != "live" else None
        self.ledger = Ledger()
        fetcher = Fetcher(
            ledger=self.ledger,
            keys=secrets.keys,
            mode=configuration.mode,
            tape=self._tape,
            recorded=recorded,
            reserved=reserved,
            patience=patience or Patience(),
        )
        self._desk = Desk(self.ledger, fetcher, exchanged)
        self._room = room
        self._leases: dict[str, Lease] = {}
        self._doors = [
            Door(item, partial(self._serve, item.slot), partial(self._malformed, item.slot))
            for item in configuration.listeners
        ]
        way_out = internet or Internet()
        self._tunnels = {
            item.slot: Tunnel(item.tunnel_path, partial(self._leases.get, item.slot), way_out)
            for item in configuration.listeners
            if item.tunnel_path is not None
        }

    async def open(self) -> tuple[Listener, ...]:
        """Listen on every slot; the listeners with the ports that the system chose."""
        opened = []
        for door in self._doors:
            port = await door.open()
            item = door.listener
            opened.append(
                Listener(
                    slot=item.slot,
                    path=item.path,
                    host=item.host,
                    port=port,
                    tunnel_path=item.tunnel_path,
                )
            )
        for tunnel in self._tunnels.values():
            await tunnel.open()
        return tuple(opened)

    async def restore(self, slot: str) -> None:
        """Before a trial: put the slot's sockets back, which the last agent could take away where nothing isolates it.

        Raises:
            UsageError: there is no room for them.
        """
        try:
            for door in self._doors:
                if door.listener.slot == slot:
                    await door.restore()
            if slot in self._tunnels:
                await self._tunnels[slot].restore()
        except OSError as error:
            raise _wrong(
                f"the socket of slot {slot} is gone and cannot be made again: {error.strerror}",
                "gateway_socket",
                "look at what the last agent left in the sandbox's folder",
            ) from None

    def arm(self, order: ArmSlot) -> None:
        """Lend a slot.

        Raises:
            UsageError: unknown slot or upstream, the slot is lent already, a weak token, or money limits for a
                model without a price.
        """
        slots = {item.slot: item for item in self._configuration.listeners}
        if order.slot not in slots:
            raise _wrong(f"there is no slot {order.slot}", "gateway_slot", "name one of the listeners")
        if order.slot in self._leases:
            raise _wrong(f"slot {order.slot} is lent already", "gateway_slot", "disarm it first")
        upstream = self._upstreams.get(order.upstream)
        if upstream is None:
            raise _wrong(f"there is no upstream {order.upstream}", "gateway_upstream", "name a configured one")
        if len(order.token) < MIN_TOKEN:
            raise _wrong("the token is too short", "gateway_token", f"use at least {MIN_TOKEN} random characters")
        self._check_hosts(order)
        price = price_of(order.model, self._configuration.prices)
        if price is None and order.caps:
            raise UsageError(
                f"no price is known for {order.model}",
                code="gateway_price",
                why="a budget in dollars cannot be kept without a price",
                do="give its price in the settings, or run without a budget",
            )
        self.ledger.open(order.caps)
        self._leases[order.slot] = Lease(
            order=order,
            terms=Terms(
                model=order.model,
                max_output=order.limits.max_output,
                cache_key=order.cache_key,
                chat_limit=upstream.chat_limit,
                protocols=upstream.protocols,
            ),
            channel=Channel(upstream),
            price=price,
            watch=ArmWatch(order.expectation),
            places=asyncio.Semaphore(order.limits.concurrent),
            deadline=time.monotonic() + order.limits.seconds,
        )

    def _check_hosts(self, order: ArmSlot) -> None:
        """The settings have refused all this already: here it holds whoever gives the order."""
        if order.hosts and order.slot not in self._tunnels:
            raise _wrong("this slot has no tunnel", "gateway_tunnel", "give its listener a tunnel_path")
        own = {_host(item) for item in self._upstreams.values()}
        for host in order.hosts:
            why = "it is where this gateway itself asks" if host in own else wrong_with(host)
            if why is not None:
                raise UsageError(
                    f"{host} may not be in network.allow",
                    code="gateway_tunnel",
                    why=why,
                    do="leave it out; models are reached through the gateway",
                )

    async def disarm(self, slot: str) -> TrialRecord:
        """Take a slot back: cancel what is in flight, settle it, sum up.

        Raises:
            UsageError: the slot is not lent.
        """
        lease = self._leases.pop(slot, None)
        if lease is None:
            raise _wrong(f"slot {slot} is not lent", "gateway_slot", "arm it first")
        lease.ended = True
        for transport in list(lease.in_flight.values()):
            transport.abort()
        while lease.in_flight:
            await asyncio.sleep(0.005)
        await lease.channel.close()
        if slot in self._tunnels:
            await self._tunnels[slot].hang_up()
        if self._tape is not None:
            self._tape.forget(lease.order.trial)
        return lease.record()

    def load(self, line: Mapping[str, Any]) -> bool:
        """Take in one recorded answer; False where it is not authentic."""
        return self._tape is not None and self._tape.load(line)

    async def close(self) -> None:
        """Take every slot back and stop."""
        for slot in list(self._leases):
            await self.disarm(slot)
        for door in self._doors:
            await door.close()
        for tunnel in self._tunnels.values():
            await tunnel.close()

    async def _serve(self, slot: str, request: web.BaseRequest) -> web.StreamResponse:
        if self._room is not None:
            await self._room()
        return await self._desk.serve(request, self._leases.get(slot))

    def _malformed(self, slot: str, kind: str) -> web.StreamResponse:
        return self._desk.malformed(self._leases.get(slot), kind)


def _check(configuration: Configuration) -> None:
    if configuration.mode not in MODES:
        raise _wrong(f"there is no mode {configuration.mode}", "gateway_mode", "live, record or replay")
    for what, names in (
        ("slot", [item.slot for item in configuration.listeners]),
        ("upstream", [item.name for item in configuration.upstreams]),
    ):
        if len(set(names)) != len(names) or not names:
            raise _wrong(f"no or equal {what} names", f"gateway_{what}", "name each once")


def _host(upstream: Upstream) -> str:
    return urlsplit(upstream.base_url).hostname or ""


def _wrong(message: str, code: str, do: str) -> UsageError:
    return UsageError(message, code=code, do=do)
