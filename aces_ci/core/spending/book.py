"""What agents' requests cost, as it was written down before and after each: nothing that was paid is ever forgotten.

A line with `settled` false is written when money is set aside, before the request goes out; one with `settled` true
when the request is over. A request whose second line is missing (the driver was killed in between) counts with what
was set aside for it: the provider may have billed it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

VERSION = 1
NAME = "spending.jsonl"
"""In the output directory, beside the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """One request of one try of one trial. `micros` are millionths of a US dollar."""

    trial: str
    attempt: str
    """Which try: unique over all starts of a run, because numbers begin anew with each."""
    number: int
    micros: int
    settled: bool


class Book:
    """The sum of all payments, by trial. Not thread-safe."""

    def __init__(self, payments: Iterable[Payment] = ()) -> None:
        self._last: dict[tuple[str, str, int], Payment] = {}
        self._by_trial: dict[str, int] = {}
        self.total = 0
        """Millionths of a US dollar, money that is still set aside included."""
        for payment in payments:
            self.add(payment)

    def add(self, payment: Payment) -> None:
        """Take a line into account. A settled request stays as it is."""
        key = (payment.trial, payment.attempt, payment.number)
        before = self._last.get(key)
        if before is not None and before.settled:
            return
        more = payment.micros - (before.micros if before else 0)
        self._last[key] = payment
        self._by_trial[payment.trial] = self.of(payment.trial) + more
        self.total += more

    def of(self, trial: str) -> int:
        """What all tries of one trial cost."""
        return self._by_trial.get(trial, 0)

    def knows(self, trial: str) -> bool:
        """Whether any request of it was written down."""
        return trial in self._by_trial


def to_line(payment: Payment) -> str:
    """One line without its newline."""
    return json.dumps({"v": VERSION, **asdict(payment)})


def read(data: bytes) -> Book:
    """The book as it lies on the disk. A torn line, as a killed writer leaves it at the end, is left out."""
    book = Book()
    for line in data.splitlines():
        try:
            raw = json.loads(line)
            if raw.pop("v") == VERSION:
                book.add(_checked(Payment(**raw)))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    return book


def _checked(payment: Payment) -> Payment:
    words: tuple[object, ...] = (payment.trial, payment.attempt)
    numbers: tuple[object, ...] = (payment.number, payment.micros)
    if not all(isinstance(word, str) for word in words) or not all(type(it) is int and it >= 0 for it in numbers):
        raise ValueError("not a payment")
    return payment
