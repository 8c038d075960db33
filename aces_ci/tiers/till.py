"""What the gateway reports while agents run, on disk before anything is made of it: exchanges, and the book of money.

Thread-safe: the link's thread writes, the workers and the tier read.
"""

from __future__ import annotations

import secrets
import threading

from aces_ci.core.spending.book import NAME, Book, Payment, to_line
from aces_ci.core.spending.exchange import Exchange, Reserved, to_event
from aces_ci.ports.sink import Sink
from aces_ci.tiers.purse import Purse, Requests


def home_of(trial: str) -> str:
    """Where all that belongs to a trial's last try lies in the output directory."""
    return f"trials/{trial}"


def exchanges_of(trial: str) -> str:
    """The exchanges in it."""
    return f"{home_of(trial)}/exchanges.jsonl"


class Till:
    """Everything that passed the gateway for the tries that run now."""

    def __init__(self, sink: Sink, book: Book, purse: Purse | None = None) -> None:
        self._sink, self._book, self._requests = sink, book, Requests(purse or Purse(None))
        self._start = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._tries = 0
        self._attempts: dict[str, str] = {}
        self._exchanges: dict[str, list[Exchange]] = {}
        self._held: dict[tuple[str, str, int], int] = {}

    @property
    def paid_micros(self) -> int:
        """Of all starts of this run, money that is set aside included."""
        with self._lock:
            return self._book.total

    @property
    def held_micros(self) -> int:
        """Of them, what is set aside for requests of this start that are under way: most of it comes back."""
        with self._lock:
            return sum(self._held.values())

    def paid_for(self, trial: str) -> int:
        """By all tries of one trial."""
        with self._lock:
            return self._book.of(trial)

    def begin(self, trial: str) -> None:
        """A try of this trial starts: what passed before belongs to an earlier one."""
        self._requests.begin(trial)
        with self._lock:
            self._tries += 1
            self._attempts[trial] = f"{self._start}-{self._tries}"
            self._exchanges.pop(trial, None)
        # Also what a start left that was killed while it wrote: it would be graded as this try's.
        self._sink.discard(home_of(trial))

    def reserve(self, reserved: Reserved) -> bool:
        """A request is about to go out: whether it may."""
        if not self._requests.reserve(reserved):
            return False
        self._write(reserved.trial, reserved.number, reserved.micros, settled=False)
        return True

    def take(self, exchange: Exchange) -> None:
        """An exchange has ended."""
        self._requests.take(exchange)
        if exchange.attempts or exchange.reserved_micros is not None:
            # One that was given up before it went out cost nothing, and its reservation must not stay.
            self._write(exchange.trial, exchange.number, exchange.charged_micros or 0, settled=True)
        self._sink.extend(exchanges_of(exchange.trial), to_event(exchange))
        with self._lock:
            self._exchanges.setdefault(exchange.trial, []).append(exchange)

    def end(self, trial: str) -> list[Exchange]:
        """The exchanges of its last try, in order."""
        with self._lock:
            return sorted(self._exchanges.pop(trial, []), key=lambda item: item.number)

    def _write(self, trial: str, number: int, micros: int, *, settled: bool) -> None:
        with self._lock:
            attempt = self._attempts.get(trial, self._start)
        payment = Payment(trial=trial, attempt=attempt, number=number, micros=micros, settled=settled)
        self._sink.extend(NAME, to_line(payment))
        with self._lock:
            self._book.add(payment)
            self._held.pop((trial, attempt, number), None)
            if not settled:
                self._held[trial, attempt, number] = micros
