"""The record of one exchange while it is still being written."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from aces_ci.core.spending.control import ArmSlot
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol, Refusal
from aces_ci.core.spending.price import Price, cost
from aces_ci.gateway.ledger import Ledger, Reservation
from aces_ci.gateway.policy.gate import Forward
from aces_ci.gateway.relay import Progress
from aces_ci.gateway.turn.assembler import Assembler


@dataclass(slots=True)
class Draft:
    """Everything that is known so far; `finish` makes the record, and settles the money, exactly once."""

    order: ArmSlot
    number: int
    endpoint: str
    protocol: Protocol | None = None
    forward: Forward | None = None
    assembler: Assembler | None = None
    price: Price | None = None
    reservation: Reservation | None = None
    lost_micros: int = 0
    """Reservations of earlier attempts that may have been billed."""
    reserved_micros: int | None = None
    outcome: Outcome = Outcome.ABANDONED
    """Until something better is known: a handler that is cancelled leaves it so."""
    status: int = 499
    because: str = "the sandbox went away"
    refusal: Refusal | None = None
    progress: Progress | None = None
    notes: tuple[str, ...] = ()
    attempts: int = 0
    replayed: bool = False
    billed: bool = True
    """False where the provider answered an error status: nothing was generated."""
    _at: float = 0.0
    _clock: float = 0.0
    _asked: float | None = None
    _first: float | None = None
    _last: float | None = None

    def __post_init__(self) -> None:
        self._at, self._clock = time.time(), time.monotonic()

    def asked(self) -> None:
        """The request that will be answered goes out now."""
        self.attempts += 1
        self._asked = time.monotonic()

    def answered(self) -> None:
        """The provider's last byte is here."""
        self._last = time.monotonic()

    def delivering(self) -> None:
        """The first byte of the body goes to the sandbox now."""
        if self._first is None:
            self._first = time.monotonic()

    def end(self, outcome: Outcome, status: int, because: str = "") -> None:
        """How it ended, as far as is known now."""
        self.outcome, self.status, self.because = outcome, status, because

    def finish(self, ledger: Ledger) -> Exchange:
        """Settle and write the record."""
        if self.outcome is Outcome.ABANDONED and self.progress is not None and self.progress.finished:
            self.end(Outcome.COMPLETE, 200)
        usage = self.assembler.usage() if self.assembler and self.outcome is Outcome.COMPLETE else None
        charged: int | None = None
        if self.price is not None and self.attempts:
            if usage is not None:
                charged = cost(self.price, usage)
                usage = replace(usage, usd_micros=charged)
            else:
                charged = self.reservation.micros if self.reservation and self.billed else 0
        if self.reservation is not None:
            ledger.settle(self.reservation, charged or 0)
            self.reservation = None
        response = self.assembler.response() if self.assembler else None
        forward = self.forward
        now = time.monotonic()
        return Exchange(
            slot=self.order.slot,
            trial=self.order.trial,
            number=self.number,
            protocol=self.protocol,
            outcome=self.outcome,
            status=self.status,
            at=datetime.fromtimestamp(self._at, UTC).isoformat(timespec="milliseconds"),
            seconds=round(now - self._clock, 4),
            first_byte_seconds=_span(self._clock, self._first),
            upstream_seconds=_span(self._asked, self._last),
            streamed=forward.stream if forward else False,
            endpoint=self.endpoint,
            request=forward.body if forward else None,
            request_digest=forward.digest if forward else None,
            response=response,
            usage=usage,
            reserved_micros=self.reserved_micros,
            charged_micros=None if charged is None else charged + self.lost_micros,
            model=self.order.model,
            resolved_model=str(response["model"])[:200] if response and response.get("model") else None,
            tools=forward.tools if forward else (),
            tools_digest=forward.tools_digest if forward else None,
            drops=tuple(sorted({*self.notes, *(forward.drops if forward else ())})),
            refusal=self.refusal,
            attempts=self.attempts,
            because=self.because,
            replayed=self.replayed,
        )


def _span(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else round(end - start, 4)
