"""A sandbox without isolation or processes: an agent is a Python function; a gateway answers by the same lines.

It passes the contract suite of the real ones, so what is built on it is built on the port.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import ArmSlot, DisarmSlot, Listener, Noted, from_control
from aces_ci.core.spending.exchange import ArmCheck, Exchange, Outcome, Protocol, Reserved, TrialRecord, to_event
from aces_ci.core.trial import Usage
from aces_ci.ports.sandbox import (
    AT_ONCE,
    NEVER_BEGUN,
    CollectedFile,
    End,
    ImageRequest,
    Job,
    Limits,
    Program,
    Ran,
    SandboxLost,
    Stream,
    Turn,
    Wanted,
)


@dataclass
class World:
    """What an agent can touch."""

    job: Job
    workspace: dict[str, bytes]
    home: dict[str, bytes]
    token: str
    gateway: FakeGateway
    stop: threading.Event
    provider: Callable[[str, int], None] = lambda trial, micros: None
    """Called with what a request costs when it goes out: where a provider would bill it."""
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)

    def ask(self, text: str = "hello", *, tokens: int = 100) -> None:
        """One model call through the gateway."""
        self.gateway.exchange(self.job.slot, self.token, text, tokens, self.provider)


Agent = Callable[[World], int]
"""Plays the main process and returns its exit code. It ends early when `stop` is set."""


class Loss(Exception):
    """Raised by an agent to play a daemon that goes away."""


class FakeGateway:
    """The gateway's lines, without a network: it counts what agents ask and says so when disarmed."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.received: list[object] = []
        self.armed: dict[str, ArmSlot] = {}
        self.asked: dict[str, list[Exchange]] = {}
        self.infra: dict[str, str] = {}
        """Trial to why the provider is to blame."""
        self.unfair: set[str] = set()
        self.gone = False
        self._granted: dict[str, queue.SimpleQueue[bool]] = defaultdict(queue.SimpleQueue)

    def send(self, line: str) -> None:
        if self.gone:
            raise SandboxLost("the gateway ended")
        order = from_control(line)
        if isinstance(order, Noted):
            self._granted[order.slot].put(order.granted)
            return
        self.received.append(order)
        match order:
            case ArmSlot():
                self.armed[order.slot] = order
                self.asked[order.slot] = []
                self.lines.put('{"event": "armed", "v": 1}')
            case DisarmSlot():
                self.lines.put(to_event(self._record(order.slot)))
            case _ if type(order).__name__ == "Configuration":
                self.lines.put('{"event": "ready", "v": 1}')
            case _:
                pass

    def receive(self, timeout: float) -> str | None:
        if self.gone:
            raise SandboxLost("the gateway ended")
        try:
            return self.lines.get(timeout=min(timeout, 0.02))
        except queue.Empty:
            return None

    def exchange(
        self, slot: int, token: str, text: str, tokens: int, bill: Callable[[str, int], None] = lambda t, m: None
    ) -> None:
        order = self.armed.get(f"s{slot}")
        if order is None or order.token != token:
            return
        number = len(self.asked[order.slot]) + 1
        self.lines.put(to_event(Reserved(slot=order.slot, trial=order.trial, number=number, micros=3 * tokens)))
        granted = self._granted[order.slot].get(timeout=10)
        if granted:
            bill(order.trial, tokens)
        usage = Usage(input_tokens=tokens, output_tokens=10, requests=1)
        value = Exchange(
            slot=order.slot,
            trial=order.trial,
            number=number,
            protocol=Protocol.MESSAGES,
            outcome=Outcome.COMPLETE if granted else Outcome.OVER_BUDGET,
            status=200 if granted else 403,
            at="2026-11-29T10:00:00.000+00:00",
            seconds=0.01,
            endpoint="POST /v1/messages",
            request={"model": order.model, "messages": [{"role": "user", "content": text}]},
            response={"role": "assistant", "content": [{"type": "text", "text": "done"}]},
            usage=usage,
            reserved_micros=3 * tokens,
            charged_micros=tokens if granted else 0,
            attempts=int(granted),
            model=order.model,
            resolved_model=order.model,
        )
        self.asked[order.slot].append(value)
        self.lines.put(to_event(value))

    def _record(self, slot: str) -> TrialRecord:
        order = self.armed.pop(slot)
        asked = self.asked.pop(slot)
        return TrialRecord(
            slot=slot,
            trial=order.trial,
            exchanges=len(asked),
            forwarded=len(asked),
            refused=0,
            usage=Usage(
                input_tokens=sum(item.usage.input_tokens for item in asked if item.usage),
                output_tokens=10 * len(asked),
                requests=len(asked),
            ),
            charged_micros=sum(item.charged_micros or 0 for item in asked),
            resolved_models=(order.model,) if asked else (),
            tool_digests=("t" * 64,),
            arm=ArmCheck(fair=order.trial not in self.unfair if asked else None),
            infra=self.infra.get(order.trial, ""),
        )


@dataclass
class FakeSession:
    """Runs agents in the caller's thread, with the limits that a function can be held to."""

    agent: Agent
    slots: int
    gateway: FakeGateway = field(default_factory=FakeGateway)
    jobs: list[Job] = field(default_factory=list)

    @property
    def listeners(self) -> tuple[Listener, ...]:
        return tuple(
            Listener(slot=f"s{slot}", path=f"/slots/s{slot}/gw.sock", tunnel_path=f"/slots/s{slot}/net.sock")
            for slot in range(self.slots)
        )

    def base_url(self, slot: int) -> str:
        return "http://127.0.0.1:8000"

    def proxy(self, slot: int) -> str:
        return "127.0.0.1:8001"

    def home(self, slot: int) -> str:
        return "/home/agent"

    def workspace(self, slot: int) -> str:
        return "/workspace"

    def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
        if not turn.wait():
            return NEVER_BEGUN
        try:
            return self._play(job, stop)
        finally:
            turn.over()

    def _play(self, job: Job, stop: threading.Event) -> Ran:
        self.jobs.append(job)
        order = self.gateway.armed.get(f"s{job.slot}")
        world = World(
            job=job,
            workspace={file.path: file.data for file in job.workspace},
            home={file.path: file.data for file in job.home},
            token=order.token if order else "",
            gateway=self.gateway,
            stop=stop,
        )
        result: list[int] = []
        failed: list[BaseException] = []

        def play() -> None:
            try:
                result.append(self.agent(world))
            except Loss as error:
                failed.append(error)

        begun = time.monotonic()
        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        while thread.is_alive() and time.monotonic() - begun < job.limits.seconds and not stop.is_set():
            thread.join(0.01)
        seconds = time.monotonic() - begun
        if failed:
            return Ran(end=End.LOST, because=str(failed[0]))
        end, because = End.EXITED, ""
        if stop.is_set():
            end, because = End.CANCELLED, "the run was interrupted"
        elif thread.is_alive():
            end, because = End.TIMED_OUT, f"it ran longer than {job.limits.seconds:g} s"
        elif len(world.out) > job.limits.log_bytes:
            end, because = End.LOG_FLOOD, f"it wrote more than {job.limits.log_bytes} bytes of output"
        kept = {path: data for path, data in world.home.items() if path.startswith(job.keep_home or ("\0",))}
        return Ran(
            end=end,
            because=because,
            exit_code=result[0] if result else 137,
            stdout=Stream(data=bytes(world.out)),
            stderr=Stream(data=bytes(world.err)),
            workspace=_collected(world.workspace),
            home=_collected(kept),
            seconds=seconds,
        )


@dataclass
class FakeSandbox:
    """A sandbox whose agents are functions."""

    agent: Agent
    name: str = "fake"
    isolates: bool = True
    stages_ahead: bool = True
    sessions: list[FakeSession] = field(default_factory=list)
    prepare: Callable[[FakeSession], None] = lambda session: None
    runs: list[str] = field(default_factory=list)
    """Labels that sessions were opened under."""
    built: set[str] = field(default_factory=set)
    """Recipes whose image is there."""

    def image(self, request: ImageRequest) -> str:
        if not request.build and request.recipe not in self.built:
            raise UsageError(f"the image of {request.recipe} is not here", code="no_image")
        self.built.add(request.recipe)
        return f"sha256:{request.recipe}"

    def wanted(self, request: ImageRequest) -> Wanted | None:
        return Wanted(name=f"fake/{request.recipe}", bases=(request.base or "fake/base",))

    def gateway(self, program: Program) -> str:
        return f"sha256:{program.image}"

    @contextmanager
    def open(self, *, run: str, slots: int, program: Program, limits: Limits) -> Iterator[FakeSession]:
        session = FakeSession(self.agent, slots)
        self.runs.append(run)
        self.prepare(session)
        self.sessions.append(session)
        yield session


def _collected(files: Mapping[str, bytes]) -> tuple[CollectedFile, ...]:
    return tuple(CollectedFile(path=path, data=data) for path, data in sorted(files.items()))
