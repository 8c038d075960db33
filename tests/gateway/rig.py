"""A gateway on loopback before a scripted provider, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from aces_ci.core.spending.control import ArmSlot, Cap, Configuration, Limits, Listener, Secrets, Upstream
from aces_ci.core.spending.exchange import Exchange, Protocol
from aces_ci.core.spending.price import Price
from aces_ci.core.trial import Arm
from aces_ci.gateway.gateway import Gateway
from aces_ci.gateway.internet import Internet
from aces_ci.gateway.upstream import Patience
from tests.fakes.upstream import FakeUpstream, Script

TOKEN = "token-" + "t" * 20
KEY = "sk-canary-0123456789abcdef"
MODEL = "test-model"
PRICE = Price(model=MODEL, input=3000, output=15000, cache_read=300, cache_write=3750)
MESSAGES: dict[str, Any] = {
    "model": MODEL,
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hi"}],
}
RESPONSES: dict[str, Any] = {"model": MODEL, "input": "hi"}
CHAT: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "hi"}]}
BODIES = {Protocol.MESSAGES: MESSAGES, Protocol.RESPONSES: RESPONSES, Protocol.CHAT: CHAT}
PATHS = {
    Protocol.MESSAGES: "/v1/messages",
    Protocol.RESPONSES: "/v1/responses",
    Protocol.CHAT: "/v1/chat/completions",
}
ORDER = ArmSlot(
    slot="s0",
    trial="trial-0",
    token=TOKEN,
    arm=Arm.BASELINE,
    model=MODEL,
    upstream="fake",
    limits=Limits(max_output=1000),
)


@dataclass
class Rig:
    """What a test talks to."""

    gateway: Gateway
    upstream: FakeUpstream
    url: str
    client: aiohttp.ClientSession
    urls: tuple[str, ...] = ()
    """One a slot."""
    exchanges: list[Exchange] = field(default_factory=list)
    recorded: list[dict[str, Any]] = field(default_factory=list)

    async def post(
        self, protocol: Protocol, body: object = None, *, token: str = TOKEN, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """Send a body (the protocol's smallest where none is given); status and parsed answer."""
        async with self.client.post(
            self.url + PATHS[protocol],
            json=BODIES[protocol] if body is None else body,
            headers={"x-api-key": token, **headers},
        ) as response:
            return response.status, await response.json()

    async def stream(self, protocol: Protocol, body: dict[str, Any] | None = None) -> bytes:
        """Ask for a stream; what arrived of it, also where it was cut."""
        taken = b""
        with suppress(aiohttp.ClientError, OSError):
            async with self.client.post(
                self.url + PATHS[protocol],
                json={**(body or BODIES[protocol]), "stream": True},
                headers={"x-api-key": TOKEN},
            ) as response:
                async for chunk in response.content.iter_any():
                    taken += chunk
        return taken


@asynccontextmanager
async def rig(
    script: Script | None = None,
    *,
    order: ArmSlot | None = ORDER,
    caps: dict[str, int] | None = None,
    limits: Limits | None = None,
    mode: str = "live",
    recording_key: str | None = None,
    slots: int = 1,
    tunnel: Path | None = None,
    internet: Internet | None = None,
    patience: Patience | None = None,
    prices: tuple[Price, ...] = (PRICE,),
) -> AsyncIterator[Rig]:
    """An armed gateway; `caps` are scopes with millionths of a dollar."""
    exchanges: list[Exchange] = []
    recorded: list[dict[str, Any]] = []
    listened = tuple(Listener(slot=f"s{number}", port=0) for number in range(slots))
    if tunnel is not None:
        listened += (Listener(slot=f"s{slots}", port=0, tunnel_path=str(tunnel)),)
    async with FakeUpstream(script).running() as upstream, aiohttp.ClientSession() as client:
        gateway = Gateway(
            Configuration(
                listeners=listened,
                upstreams=(Upstream(name="fake", base_url=upstream.url, protocols=tuple(Protocol), insecure=True),),
                prices=prices,
                mode=mode,
            ),
            Secrets(keys={"fake": KEY}, recording_key=recording_key),
            exchanged=exchanges.append,
            recorded=recorded.append,
            patience=patience or Patience(retries=2, backoff=0.01),
            internet=internet,
        )
        listeners = await gateway.open()
        try:
            if order is not None:
                if caps is not None:
                    pairs = tuple(Cap(scope=scope, usd_micros=micros) for scope, micros in caps.items())
                    order = replace(order, caps=pairs)
                gateway.arm(replace(order, limits=limits) if limits else order)
            yield Rig(
                gateway=gateway,
                upstream=upstream,
                url=f"http://127.0.0.1:{listeners[0].port}",
                urls=tuple(f"http://127.0.0.1:{item.port}" for item in listeners),
                client=client,
                exchanges=exchanges,
                recorded=recorded,
            )
        finally:
            await gateway.close()
