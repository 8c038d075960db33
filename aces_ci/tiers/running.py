"""Agents at work: so many run at once, and as many more are made ready meanwhile, in the plan's order.

Making a container ready and taking it apart cost more time than anything else of a trial; done beside running agents,
nobody waits for them. What is ready holds no token and has paid nothing: it starts by the tier's word alone.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, TypeVar

from aces_ci.core.plan import PlannedTrial

Result = TypeVar("Result")


class _State(Enum):
    UNREADY = auto()
    READY = auto()
    RUNS = auto()


@dataclass(slots=True, eq=False)
class Turn:
    """One trial's place in the line. `wait` and `over` are its own thread's, all else the tier's."""

    tell: Callable[[], None]
    """Wakes the tier."""
    state: _State = _State.UNREADY
    granted: bool = False
    """Once at least: money may be set aside for it until its thread has ended."""
    _answers: queue.SimpleQueue[bool] = field(default_factory=queue.SimpleQueue)
    _closed: bool = False

    def wait(self) -> bool:
        """Until the agent may start: True; or shall not any more: False."""
        if self._closed:
            return False
        self.state = _State.READY
        self.tell()
        return self._answers.get()

    def over(self) -> None:
        """The agent has ended, another one may start; to be called once after each granted `wait`."""
        self.state = _State.UNREADY
        self.tell()

    def answer(self, *, granted: bool) -> None:
        """To the `wait` that is pending: only where the state is READY."""
        self.state = _State.RUNS if granted else _State.UNREADY
        self.granted = self.granted or granted
        self._answers.put(granted)

    def close(self) -> None:
        """Refuse this `wait`, should one be pending, and each that comes."""
        self._closed = True
        self._answers.put(False)


@dataclass(slots=True, kw_only=True, eq=False)
class _Entry(Generic[Result]):
    planned: PlannedTrial
    slot: int
    turn: Turn
    future: Future[Result]


class Running(Generic[Result]):
    """Trials on their way, each in a slot and a thread of its own. All methods are for one thread, the tier's."""

    def __init__(self, workers: int, slots: int, attempt: Callable[[PlannedTrial, int, Turn], Result]) -> None:
        """At most `workers` agents run at once; `slots`, at least as many, may be staged or taken apart beside them."""
        self._workers, self._attempt = workers, attempt
        self._free = list(reversed(range(slots)))
        self._entries: list[_Entry[Result]] = []
        self._news = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=slots, thread_name_prefix="aces-trial")

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def busy(self) -> bool:
        """Whether an agent runs, or has run and is not done with."""
        return any(entry.turn.granted for entry in self._entries)

    @property
    def settling(self) -> int:
        """How many agents have ended of which nobody knows yet what came of it."""
        return sum(entry.turn.granted and entry.turn.state is _State.UNREADY for entry in self._entries)

    def prepare(self, waiting: Iterator[PlannedTrial]) -> None:
        """Make as many trials ready as there are free slots; their agents wait for their turns."""
        while self._free and (planned := next(waiting, None)) is not None:
            slot, turn = self._free.pop(), Turn(self._news.set)
            future = self._pool.submit(self._attempt, planned, slot, turn)
            self._entries.append(_Entry(planned=planned, slot=slot, turn=turn, future=future))
            future.add_done_callback(lambda _: self._news.set())

    def start(self) -> Iterator[PlannedTrial]:
        """Grant turns, first come first, and yield whose agents start by it."""
        for entry in self._waiting():
            if sum(other.turn.state is _State.RUNS for other in self._entries) >= self._workers:
                return
            entry.turn.answer(granted=True)
            yield entry.planned

    def refuse(self) -> None:
        """Those that wait shall not start. Whoever comes to wait later has to be refused then."""
        for entry in self._waiting():
            entry.turn.answer(granted=False)

    def ended(self) -> list[tuple[PlannedTrial, Future[Result]]]:
        """Those that are done with, in the order of their preparation; their slots are free again."""
        done = [entry for entry in self._entries if entry.future.done()]
        self._entries = [entry for entry in self._entries if entry not in done]
        self._free += [entry.slot for entry in done]
        return [(entry.planned, entry.future) for entry in done]

    def wait(self) -> None:
        """Until something has changed since the last call."""
        self._news.wait()
        self._news.clear()

    def close(self) -> None:
        """Refuse all and wait for every thread: agents that run must be stopped by other means.

        Nobody waits for a turn after its first line: a second Ctrl-C in the middle of it leaves no thread behind.
        """
        for entry in self._entries:
            entry.turn.close()
        self._pool.shutdown()

    def _waiting(self) -> list[_Entry[Result]]:
        return [entry for entry in self._entries if entry.turn.state is _State.READY]
