"""The money of one run: agents and judges take it from one purse, set aside before each request, settled after it."""

from __future__ import annotations

import time
from threading import Condition, Lock

from aces_ci.core.spending.exchange import Exchange, Reserved


class Purse:
    """Thread-safe. Amounts are millionths of a USD; a `cap` of None is no cap."""

    def __init__(self, cap: int | None, spent: int = 0) -> None:
        """`spent`: before."""
        self.cap = cap
        self._lock = Condition()
        self._abandoned = 0
        """Set aside by whoever never came back: nobody waits for it twice."""
        self.reserved = 0
        self.spent = spent

    @classmethod
    def of_shard(cls, cap: int | None, shards: int) -> Purse:
        """An equal part for each of so many shards, which do not hear of each other."""
        return cls(None if cap is None else cap // shards)

    def empty(self, held: int = 0) -> bool:
        """Whether nothing is left, even if `held` of what is set aside came back."""
        with self._lock:
            return self.cap is not None and self.spent + self.reserved - held >= self.cap

    def reserve(self, amount: int, patience: float = 0.0) -> bool:
        """Whether `amount` still fits; then it is set aside.

        Where only what others have set aside stands against it, their calls are waited for up to `patience` seconds:
        most of them come to a fraction of their bound.
        """
        until = time.monotonic() + patience
        with self._lock:
            while self.cap is not None and self.spent + self.reserved + amount > self.cap:
                hopeless = self.spent + amount > self.cap or self.reserved <= self._abandoned
                if hopeless or patience <= 0:
                    return False
                if not self._lock.wait(until - time.monotonic()):
                    self._abandoned = self.reserved
                    return False
            self.reserved += amount
            return True

    def settle(self, reserved: int, used: int | None) -> None:
        """What the call came to; unknown counts as all that was reserved."""
        with self._lock:
            self.reserved -= reserved
            self.spent += reserved if used is None else used
            self._lock.notify_all()

    def pay(self, amount: int) -> None:
        """What was spent elsewhere: by earlier starts of the same run."""
        with self._lock:
            self.spent += amount


class Requests:
    """Requests that pass a gateway, against the purse. Thread-safe."""

    def __init__(self, purse: Purse) -> None:
        self._purse = purse
        self._lock = Lock()
        self._held: dict[tuple[str, int], int] = {}

    def begin(self, trial: str) -> None:
        """Numbers of this trial begin anew; what an earlier try never settled stays set aside."""
        with self._lock:
            self._held = {key: held for key, held in self._held.items() if key[0] != trial}

    def reserve(self, reserved: Reserved) -> bool:
        """Whether the request may go out; `reserved.micros` holds what its own earlier attempts set aside."""
        key = (reserved.trial, reserved.number)
        with self._lock:
            more = max(0, reserved.micros - self._held.get(key, 0))
            if not self._purse.reserve(more):
                return False
            self._held[key] = self._held.get(key, 0) + more
            return True

    def take(self, exchange: Exchange) -> None:
        """It is over."""
        with self._lock:
            held = self._held.pop((exchange.trial, exchange.number), 0)
        self._purse.settle(held, exchange.charged_micros or 0)
