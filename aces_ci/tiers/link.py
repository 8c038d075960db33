"""The driver's end of the gateway: trials are armed and disarmed, exchanges are handed on as they are written."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import Any

from aces_ci.core.errors import AcesError, UsageError
from aces_ci.core.spending.control import ArmSlot, Configuration, Control, DisarmSlot, Noted, Secrets, to_control
from aces_ci.core.spending.exchange import Exchange, Reserved, TrialRecord, from_event
from aces_ci.ports.sandbox import Channel, SandboxLost

READY_SECONDS = 60.0
"""A loaded runner needs some seconds to import an HTTP stack; a gateway that takes this long is not coming."""
ARM_SECONDS = 30.0
DISARM_SECONDS = 60.0
"""Requests in flight are cancelled and settled first."""
_POLL = 0.5
_REPLIES = frozenset({"ready", "armed", "fault"})

Reply = TrialRecord | dict[str, Any] | None
"""A record, another event, or None when the gateway is gone."""


class Link:
    """One gateway. Thread-safe: it obeys orders one after the other, so one reply belongs to one order."""

    def __init__(
        self,
        channel: Channel,
        on_exchange: Callable[[Exchange], None],
        on_reserved: Callable[[Reserved], bool] = lambda reserved: True,
    ) -> None:
        self._channel = channel
        self._on_exchange, self._on_reserved = on_exchange, on_reserved
        self._replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self._ordering = threading.Lock()
        self._lost = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._pump, daemon=True, name="aces-link")

    def start(self, secrets: Secrets, configuration: Configuration) -> None:
        """Send the key and the configuration, and wait until every slot listens.

        Raises:
            SandboxLost: it did not come up; says what it said last.
        """
        self._thread.start()
        with self._ordering:
            self._channel.send(to_control(secrets))
        self._order(configuration, "ready", READY_SECONDS)

    def arm(self, order: ArmSlot) -> None:
        """Lend a slot to a trial.

        Raises:
            UsageError: the gateway refuses, as for a budget without a price. SandboxLost: it is gone.
        """
        self._order(order, "armed", ARM_SECONDS)

    def disarm(self, slot: str) -> TrialRecord:
        """Take it back and say what passed. Every exchange was handed on before. Raises SandboxLost."""
        found = self._order(DisarmSlot(slot=slot), "disarmed", DISARM_SECONDS)
        assert isinstance(found, TrialRecord)
        return found

    def close(self) -> None:
        """Stop reading."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(2 * _POLL)

    def _order(self, order: Control, event: str, seconds: float) -> Reply:
        with self._ordering:
            if self._lost:
                raise SandboxLost(self._lost)
            self._channel.send(to_control(order))
            try:
                found = self._replies.get(timeout=seconds)
            except queue.Empty:
                self._lost = f"the gateway did not say `{event}` within {seconds:g} s"
                raise SandboxLost(self._lost) from None
        if found is None:
            raise SandboxLost(self._lost)
        name = "disarmed" if isinstance(found, TrialRecord) else found.get("event")
        if name == "fault" and isinstance(found, dict):
            raise UsageError(
                str(found.get("message")),
                code=str(found.get("code") or "gateway_fault"),
                why=str(found["why"]) if found.get("why") else None,
            )
        if name != event:
            raise SandboxLost(f"the gateway said `{name}` instead of `{event}`")
        return found

    def _pump(self) -> None:
        while not self._closing.is_set():
            try:
                line = self._channel.receive(_POLL)
                if line is not None:
                    self._take(line)
            except (SandboxLost, AcesError) as error:
                # A line that cannot be read, or a disk that takes no exchange: no trial after it can be trusted.
                self._lost = str(error)
                self._replies.put(None)
                return

    def _take(self, line: str) -> None:
        value = from_event(line)
        if isinstance(value, Exchange):
            self._on_exchange(value)
        elif isinstance(value, Reserved):
            granted = self._on_reserved(value)
            # Past the orders, which wait for their replies: this one has none.
            self._channel.send(to_control(Noted(slot=value.slot, number=value.number, granted=granted)))
        elif isinstance(value, TrialRecord):
            self._replies.put(value)
        else:
            raw = json.loads(line)
            if raw.get("event") in _REPLIES:
                self._replies.put(raw)
