"""One trial's hold on a slot: its token, limits, and the sum of what it did."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace

from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.core.spending.control import ArmSlot
from aces_ci.core.spending.exchange import Exchange, Outcome, Refusal, TrialRecord
from aces_ci.core.spending.price import Price
from aces_ci.core.trial import Usage
from aces_ci.gateway.armcheck import ArmWatch
from aces_ci.gateway.policy.request import Terms
from aces_ci.gateway.upstream import Channel

MAX_REFUSALS = 50
SPARE_LINES = 20
"""Requests beyond the limit that are still recorded one by one."""


class LimitError(Exception):
    """The trial asked for more than its limits."""


@dataclass(slots=True)
class Lease:
    """State of an armed slot."""

    order: ArmSlot
    terms: Terms
    channel: Channel
    price: Price | None
    watch: ArmWatch
    places: asyncio.Semaphore
    deadline: float
    """Monotonic seconds."""
    number: int = 0
    taken_bytes: int = 0
    unauthorised: int = 0
    in_flight: dict[int, asyncio.Transport] = field(default_factory=dict)
    ended: bool = False
    """Its slot was taken back: what is still on its way in belongs to nobody."""
    spent: str = ""
    """Why nothing more passes to hosts of `network.allow`; empty while something may."""
    _connections: list[Connection] = field(default_factory=list)
    _asked: int = 0
    _sent: int = 0
    _received: int = 0
    _forwarded: int = 0
    _refused: int = 0
    _unsettled: int = 0
    _charged: int = 0
    _usage: Usage = field(default_factory=Usage)
    _models: set[str] = field(default_factory=set)
    _digests: dict[str, None] = field(default_factory=dict)
    _drops: set[str] = field(default_factory=set)
    _refusals: dict[Refusal, None] = field(default_factory=dict)
    _over_budget: bool = False
    _last: tuple[int, str] = (0, "")
    """Number of the latest forwarded exchange and why the provider is to blame for it, or empty."""

    @property
    def scopes(self) -> tuple[str, ...]:
        """The accounts that pay."""
        return tuple(cap.scope for cap in self.order.caps)

    def valid(self) -> bool:
        """Whether the token still opens anything."""
        return not self.ended and time.monotonic() < self.deadline

    def worn_out(self) -> bool:
        """So far beyond its limits that one more request is not even worth a line of the record."""
        return self.number >= self.order.limits.requests + SPARE_LINES

    def enter(self, length: int) -> int:
        """Count one request of so many bytes in; its number.

        Raises:
            LimitError: too many requests or bytes.
        """
        self.number += 1
        self.taken_bytes += length
        limits = self.order.limits
        if self.number > limits.requests:
            raise LimitError(f"more than {limits.requests} requests in this trial")
        if self.taken_bytes > limits.request_bytes:
            raise LimitError(f"more than {limits.request_bytes} bytes of requests in this trial")
        return self.number

    def connects(self) -> bool:
        """Count one connection to a host in; False where there were too many, which is written down once."""
        self._asked += 1
        most = self.order.limits.connections
        if self._asked == most + 1:
            because = f"more than {most} connections in this trial"
            self._connections.append(Connection(host="", passage=Passage.REFUSED, because=because))
        return self._asked <= most

    def spends(self, sent: int, received: int) -> bool:
        """Count bytes of a connection; False, and nothing more passes in this trial, where a cap would be passed."""
        limits = self.order.limits
        for what, now, most in (
            ("sent", self._sent + sent, limits.sent_bytes),
            ("received", self._received + received, limits.received_bytes),
        ):
            if now > most:
                self.spent = self.spent or f"more than {most} bytes {what} in this trial"
        if self.spent:
            return False
        self._sent += sent
        self._received += received
        return True

    def connected(self, connection: Connection) -> None:
        """Take one ended connection into the record."""
        self._connections.append(connection)

    def add(self, exchange: Exchange) -> None:
        """Take one ended exchange into the sum."""
        self._drops.update(exchange.drops)
        self._over_budget = self._over_budget or exchange.outcome is Outcome.OVER_BUDGET
        if exchange.refusal is not None and len(self._refusals) < MAX_REFUSALS:
            self._refusals[exchange.refusal] = None
        if not exchange.attempts:
            self._refused += 1
            return
        self._forwarded += 1
        self._charged += exchange.charged_micros or 0
        if exchange.resolved_model:
            self._models.add(exchange.resolved_model)
        if exchange.tools_digest:
            self._digests[exchange.tools_digest] = None
        if exchange.usage is None:
            self._unsettled += bool(exchange.charged_micros)
        else:
            self._usage = _sum(self._usage, exchange.usage)
        if exchange.number > self._last[0]:
            blame = exchange.because if exchange.outcome is Outcome.UPSTREAM_FAILED else ""
            self._last = (exchange.number, blame)

    def record(self) -> TrialRecord:
        """The sum, after the last exchange."""
        priced = self.price is not None
        return TrialRecord(
            slot=self.order.slot,
            trial=self.order.trial,
            exchanges=self.number,
            forwarded=self._forwarded,
            refused=self._refused,
            unauthorised=self.unauthorised,
            usage=replace(
                self._usage,
                requests=self._forwarded,
                usd_micros=self._charged if priced else None,
            ),
            charged_micros=self._charged if priced else None,
            unsettled=self._unsettled,
            resolved_models=tuple(sorted(self._models)),
            tool_digests=tuple(self._digests),
            drops=tuple(sorted(self._drops)),
            refusals=tuple(self._refusals),
            arm=self.watch.verdict(),
            over_budget=self._over_budget,
            infra=self._last[1],
            connections=tuple(self._connections),
        )


def _sum(left: Usage, right: Usage) -> Usage:
    return Usage(
        input_tokens=left.input_tokens + right.input_tokens,
        output_tokens=left.output_tokens + right.output_tokens,
        cache_read_tokens=left.cache_read_tokens + right.cache_read_tokens,
        cache_write_tokens=left.cache_write_tokens + right.cache_write_tokens,
    )
