"""The gateway as a process: secrets and orders on standard input, events on standard output."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import asdict
from typing import BinaryIO

import uvloop

from aces_ci.core.errors import AcesError, UsageError
from aces_ci.core.spending.control import (
    CONTROL_LINE_LIMIT,
    ArmSlot,
    Configuration,
    Control,
    DisarmSlot,
    LoadRecording,
    Noted,
    Secrets,
    from_control,
)
from aces_ci.core.spending.exchange import Reserved, to_event
from aces_ci.gateway.gateway import Gateway
from aces_ci.gateway.harden import harden, raise_file_limit
from aces_ci.gateway.internet import Internet
from aces_ci.gateway.journal import Journal
from aces_ci.gateway.outbox import Outbox


def run(stdin: BinaryIO, stdout: BinaryIO, internet: Internet | None = None) -> None:
    """Serve until standard input ends. It ends with the driver, so that no gateway outlives its run.

    `internet` is the tests' own, for hosts of `network.allow`; the product never gives one.

    Raises:
        UsageError: the first two lines are not secrets and a configuration that work.
    """
    harden()
    raise_file_limit()
    secrets, configuration = begin(stdin)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(secrets, configuration, stdin, stdout, internet))


def begin(stdin: BinaryIO) -> tuple[Secrets, Configuration]:
    """The first two lines.

    Raises:
        UsageError: they are something else.
    """
    secrets, configuration = _read(stdin), _read(stdin)
    if not isinstance(secrets, Secrets) or not isinstance(configuration, Configuration):
        raise UsageError(
            "the gateway was not told its secrets and its configuration",
            code="gateway_start",
            why="line 1 must be `secrets` and line 2 `configure`",
            do="let aces-ci start it",
        )
    return secrets, configuration


async def _serve(
    secrets: Secrets, configuration: Configuration, stdin: BinaryIO, stdout: BinaryIO, internet: Internet | None
) -> None:
    hidden = [*secrets.keys.values(), *filter(None, [secrets.recording_key])]
    outbox = Outbox(stdout, hidden)
    journal = Journal(lambda reserved: outbox.put(to_event(reserved)))

    def reserved(what: Reserved) -> asyncio.Future[bool] | None:
        return journal.reserved(what) if configuration.journal else None

    gateway = Gateway(
        configuration,
        secrets,
        exchanged=lambda exchange: outbox.put(to_event(exchange)),
        reserved=reserved,
        recorded=lambda line: outbox.put(json.dumps({"event": "recorded", "line": line})),
        room=outbox.room,
        internet=internet,
    )
    try:
        listeners = await gateway.open()
        _say(outbox, "ready", listeners=[asdict(item) for item in listeners])
        orders = _orders(stdin, journal)
        while (order := await orders.get()) is not None and not outbox.broken:
            try:
                if isinstance(order, AcesError):
                    raise order
                await _obey(gateway, outbox, order)
            except AcesError as error:
                _say(outbox, "fault", message=error.message, code=error.code, why=error.why)
    finally:
        await gateway.close()
        outbox.close()


async def _obey(gateway: Gateway, outbox: Outbox, order: Control) -> None:
    match order:
        case ArmSlot():
            await gateway.restore(order.slot)
            gateway.arm(order)
            _say(outbox, "armed", slot=order.slot, trial=order.trial)
        case DisarmSlot():
            outbox.put(to_event(await gateway.disarm(order.slot)))
        case LoadRecording():
            if not gateway.load(order.line):
                _say(outbox, "fault", message="a recording is not authentic", code="gateway_recording")
        case _:
            raise UsageError("secrets and configuration are told once", code="gateway_control")


def _say(outbox: Outbox, event: str, **fields: object) -> None:
    outbox.put(json.dumps({"event": event, "v": 1, **fields}))


def _read(stdin: BinaryIO) -> Control | None:
    line = stdin.readline(CONTROL_LINE_LIMIT)
    return from_control(line.decode("utf-8", errors="replace")) if line else None


def _orders(stdin: BinaryIO, journal: Journal) -> asyncio.Queue[Control | AcesError | None]:
    """Orders from a thread, because standard input may be a file, a pipe or a socket; None at its end.

    Answers to reservations go past the queue: a request must not wait until another slot is taken back.
    """
    loop = asyncio.get_running_loop()
    orders: asyncio.Queue[Control | AcesError | None] = asyncio.Queue()

    def read() -> None:
        while line := stdin.readline(CONTROL_LINE_LIMIT):
            try:
                order: Control | AcesError = from_control(line.decode("utf-8", errors="replace"))
            except AcesError as error:
                order = error
            if isinstance(order, Noted):
                loop.call_soon_threadsafe(journal.noted, order)
            else:
                loop.call_soon_threadsafe(orders.put_nowait, order)
        loop.call_soon_threadsafe(orders.put_nowait, None)

    threading.Thread(target=read, name="orders", daemon=True).start()
    return orders
