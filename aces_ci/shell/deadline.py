"""A blocking call with an end by the clock on the wall, whatever it waits for."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

Got = TypeVar("Got")


class Over(Exception):
    """The time is up; the call goes on by itself and nobody listens to it."""


def within(seconds: float, call: Callable[[], Got]) -> Got:
    """What `call` gives, or raises.

    A time-out of a socket begins anew with each byte, so a server that drips one now and then would never meet it. The
    call runs in a thread that does not keep the process alive.

    Raises:
        Over: it has not come back in time.
    """
    done: SimpleQueue[tuple[bool, Got | BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            done.put((True, call()))
        except BaseException as error:  # noqa: BLE001 - raised again where somebody waits
            done.put((False, error))

    Thread(target=run, daemon=True, name="within").start()
    try:
        came, what = done.get(timeout=seconds)
    except Empty:
        raise Over from None
    if came:
        return what  # type: ignore[return-value]
    assert isinstance(what, BaseException)
    raise what
