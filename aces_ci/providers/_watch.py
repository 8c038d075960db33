"""What passes the wire for one question: how many requests, how many of them were refused, and until when."""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from time import monotonic
from typing import Any, TypeVar

from aces_ci.shell.deadline import Over, within

Got = TypeVar("Got")
_of_this_thread = local()


class Watch:
    """One question on its way."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds
        self.sent = 0
        self.refused = 0

    @property
    def unsettled(self) -> int:
        """Requests before the last whose price never came; a refused one costs nothing."""
        return max(0, self.sent - self.refused - 1)

    def over(self, call: Callable[[], Got]) -> Got:
        """Runs a call of an SDK whose client has the hooks below. Raises `Over` when the time is up."""

        def watched() -> Got:
            _of_this_thread.watch = self
            return call()

        return within(self._seconds, watched)

    def count(self) -> None:
        """A request goes out; none does when nobody waits for it any more: it would be paid for by nobody's budget."""
        if monotonic() > self._end:
            raise Over
        self.sent += 1


def on_request(request: Any) -> None:
    """Event hook of an HTTP client."""
    if (watch := getattr(_of_this_thread, "watch", None)) is not None:
        watch.count()


def on_response(response: Any) -> None:
    """Event hook of an HTTP client."""
    watch = getattr(_of_this_thread, "watch", None)
    if watch is not None and response.status_code >= 400:
        watch.refused += 1
