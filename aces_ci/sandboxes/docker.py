"""Docker: a fresh container a trial, no network, no key, no path of the host.

Needs the daemon's socket and nothing else: it works from inside a container, because nothing is ever bind-mounted.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress

from aces_ci.core.spending.control import Listener
from aces_ci.ports.sandbox import AT_ONCE, End, ImageRequest, Job, Limits, Program, Ran, SandboxLost, Turn, Wanted
from aces_ci.sandboxes._docker import berth, images, trial
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused
from aces_ci.sandboxes._docker.gateway import SLOTS, DockerChannel, gateway_spec, slot_volume
from aces_ci.sandboxes._docker.precedence import Precedence
from aces_ci.sandboxes._docker.spec import CREATED_LABEL, HOME, RUN_LABEL, SOCKET, TUNNEL, WORKSPACE
from aces_ci.sandboxes._docker.sweep import sweep

TIDY_SECONDS = 30.0
"""For the last berths, at the end of a run; what is not gone by then is swept one by one."""


class DockerSession:
    """An open run: the gateway's container, and the slots' volumes."""

    def __init__(self, engine: Engine, run: str, slots: int, program: Program) -> None:
        """Raises UsageError, SandboxLost, Refused or Missing where the gateway cannot be started."""
        self._engine = engine
        self._labels = {RUN_LABEL: run, CREATED_LABEL: str(int(time.time()))}
        self._precedence = Precedence()
        self._tidying: list[Future[None]] = []
        self._workers = ThreadPoolExecutor(max_workers=max(2, slots), thread_name_prefix="aces-tidy")
        key = secrets.token_hex(8)
        self._volumes = {f"s{slot}": f"aces-{key}-s{slot}" for slot in range(slots)}
        for name in self._volumes.values():
            engine.create_volume(slot_volume(name), self._labels)
        network = f"aces-{key}-egress"
        engine.create_network(network, self._labels)
        self.container = engine.create(
            gateway_spec(
                program,
                name=f"aces-{key}-gateway",
                image=images.gateway(engine, program),
                network=network,
                volumes=self._volumes,
                labels=self._labels,
            )
        )
        self.gateway = DockerChannel(engine, self.container)
        engine.start(self.container)

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Unix sockets in the volume that only this slot's agent sees: one to the model, one to allowed hosts."""
        return tuple(
            Listener(slot=slot, path=f"{SLOTS}/{slot}/{SOCKET}", tunnel_path=f"{SLOTS}/{slot}/{TUNNEL}")
            for slot in self._volumes
        )

    def base_url(self, slot: int) -> str:
        """The same in every slot: each sandbox has a loopback of its own."""
        return f"http://127.0.0.1:{trial.PORT}"

    def proxy(self, slot: int) -> str:
        """The same in every slot."""
        return f"127.0.0.1:{trial.PROXY_PORT}"

    def home(self, slot: int) -> str:
        """The same in every slot."""
        return HOME

    def workspace(self, slot: int) -> str:
        """The same in every slot."""
        return WORKSPACE

    def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
        """One trial in a berth of its own, which is removed while the slot goes on."""
        left: list[str] = []
        place: berth.Berth | None = None
        try:
            self._precedence.give_way()
            place = berth.make(self._engine, job.image, job.limits, self._labels)
            volume, unset = self._volumes[f"s{job.slot}"], self._engine.variables(job.image)
            wanted = trial.spec(job, place, volume, self._labels, unset)
            return trial.run(self._engine, job, place, wanted, stop, turn, self._precedence, left.append)
        except (SandboxLost, Refused, Missing) as error:
            return Ran(end=End.NOT_STARTED, because=str(error))
        finally:
            if place is not None:
                self._tidying.append(self._workers.submit(self._discard, place, left))

    def _discard(self, place: berth.Berth, containers: list[str]) -> None:
        self._precedence.give_way()
        berth.discard(self._engine, place, containers)

    def close(self) -> None:
        """Hang up on the gateway and wait for clean-ups; the sweep does the rest."""
        self.gateway.close()
        wait(self._tidying, TIDY_SECONDS)
        self._workers.shutdown(wait=True, cancel_futures=True)


class Docker:
    """The default sandbox."""

    name = "docker"
    isolates = True
    stages_ahead = True

    def image(self, request: ImageRequest) -> str:
        """Digest of a harness's image, built once. Raises UsageError."""
        engine = Engine()
        try:
            return images.ensure(engine, request)
        finally:
            engine.close()

    def wanted(self, request: ImageRequest) -> Wanted | None:
        """By the name that carries what it is built from. Raises UsageError: there is no such recipe."""
        return images.wanted(request)

    def gateway(self, program: Program) -> str:
        """Digest of the gateway's image, pulled where it is missing. Raises UsageError."""
        engine = Engine()
        try:
            return images.gateway(engine, program)
        finally:
            engine.close()

    @contextmanager
    def open(self, *, run: str, slots: int, program: Program, limits: Limits) -> Iterator[DockerSession]:
        """Sweep dead runs, an earlier start of this one among them, and start the gateway; on leaving, remove all."""
        engine = Engine(connections=8 * slots + 8)
        session: DockerSession | None = None
        try:
            sweep(engine)
            sweep(engine, run=run)
            try:
                session = DockerSession(engine, run, slots, program)
            except (Missing, Refused) as error:
                raise SandboxLost(f"the gateway could not be started: {error}") from None
            yield session
        finally:
            if session is not None:
                with suppress(SandboxLost):
                    session.close()
            sweep(engine, run=run)
            engine.close()


SANDBOX = Docker()
