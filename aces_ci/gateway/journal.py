"""Requests that wait for the driver to write down what is set aside for them.

So a driver that is killed at any moment has on its disk whatever a provider may have billed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aces_ci.core.spending.control import Noted
from aces_ci.core.spending.exchange import Reserved


class Journal:
    """Lives on the gateway's event loop."""

    def __init__(self, tell: Callable[[Reserved], None]) -> None:
        self._tell = tell
        self._waiting: dict[tuple[str, int], asyncio.Future[bool]] = {}

    def reserved(self, reserved: Reserved) -> asyncio.Future[bool]:
        """Tell the driver; the future says whether the request may go out, once it has answered."""
        noted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        key = (reserved.slot, reserved.number)
        self._waiting[key] = noted
        noted.add_done_callback(lambda _: self._waiting.pop(key, None))
        self._tell(reserved)
        return noted

    def noted(self, answer: Noted) -> None:
        """The driver's answer; one that nobody waits for any more changes nothing."""
        waiting = self._waiting.get((answer.slot, answer.number))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer.granted)
