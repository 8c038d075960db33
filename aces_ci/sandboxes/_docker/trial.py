"""One trial in the daemon's hands: stage, start, watch, collect from the stopped container, remove."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import NEVER_BEGUN, End, Job, Ran, SandboxLost, Turn
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.berth import HELD_HOME, HELD_WORKSPACE, Berth
from aces_ci.sandboxes._docker.collect import Harvest, read
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused, State
from aces_ci.sandboxes._docker.precedence import Precedence
from aces_ci.sandboxes._docker.spec import (
    AGENT_USER,
    HOME,
    SLOT_MOUNT,
    SOCKET,
    TUNNEL,
    WORKSPACE,
    ContainerSpec,
    Mount,
)
from aces_ci.sandboxes._docker.streams import Drain

PORT = 8000
PROXY_PORT = 8001
RELAY = ("python3", "-I", "-S", "/opt/aces/relay.py")
STDIN_FILE = ".aces-stdin"
PATH = "/opt/agent/bin:/usr/local/bin:/usr/bin:/bin"
WATCH_SECONDS = 2.0
STOP_SECONDS = 15.0
"""From the kill to the daemon's word that the container has stopped; longer is a lost daemon."""
KILLED = 137
"""Exit code of a main process that got SIGKILL; with another one only a child was killed."""
NEARLY = 0.97
"""Share of a volume's bytes or inodes, or of the process limit, from which it counts as reached."""


def spec(
    job: Job, berth: Berth, slot_volume: str, labels: dict[str, str], unset: tuple[str, ...] = ()
) -> ContainerSpec:
    """The agent's container. Same names, paths and host name in every arm."""
    limits = job.limits
    doors = f"{PORT}={SLOT_MOUNT}/{SOCKET}"
    if job.network:
        doors += f",{PROXY_PORT}={SLOT_MOUNT}/{TUNNEL}"
    return ContainerSpec(
        name=f"aces-{berth.key}-agent",
        image=job.image,
        command=(*RELAY, doors, f"{HOME}/{STDIN_FILE}", *job.command),
        user=AGENT_USER,
        labels=labels,
        mounts=(*berth.mounts, Mount(volume=slot_volume, target=SLOT_MOUNT, read_only=True)),
        environment={
            "HOME": HOME,
            "PATH": PATH,
            "TMPDIR": "/tmp",
            "LANG": "C.UTF-8",
            "USER": "agent",
            **job.environment,
        },
        unset=unset,
        working_dir=WORKSPACE,
        memory=limits.memory_bytes,
        cpus=limits.cpus,
        processes=limits.processes,
        files_open=limits.files_open,
        file_bytes=limits.file_bytes,
        scratch=limits.scratch_bytes,
    )


@dataclass(slots=True)
class _Watch:
    """What was seen while the agent ran."""

    end: End
    processes: int = 0


def run(
    engine: Engine,
    job: Job,
    place: Berth,
    wanted: ContainerSpec,
    stop: threading.Event,
    turn: Turn,
    precedence: Precedence,
    leave: Callable[[str], None],
) -> Ran:
    """Run one job in a berth, as `spec` words it. Never raises: a daemon that fails is `NOT_STARTED` or `LOST`.

    `leave` is called with the container when nothing more is wanted of it.
    """
    begun = time.monotonic()
    container: str | None = None
    started: float | None = None
    try:
        owner = dict(zip(("uid", "gid"), map(int, AGENT_USER.split(":")), strict=True))
        stdin = StagedFile(path=STDIN_FILE, data=job.stdin)
        engine.put(place.holder, HELD_HOME, pack((*job.home, stdin), **owner))
        if job.workspace:
            engine.put(place.holder, HELD_WORKSPACE, pack(job.workspace, **owner))
        container = engine.create(wanted)
        drain = Drain(engine.attach(container), job.limits)
        ready = time.monotonic()
        if not turn.wait():
            return NEVER_BEGUN
        started = time.monotonic()
        try:
            with precedence.starting():
                engine.start(container)
            seen = _watch(engine, container, drain, started + job.limits.seconds, stop)
            state = _stopped(engine, container)
        finally:
            turn.over()
        ended = time.monotonic()
        precedence.give_way()
        stdout, stderr = drain.streams()
        workspace, home = _collect(engine, place, job)
        ran = _told(job, seen, state, drain.flooded, workspace)
        return replace(
            ran,
            stdout=stdout,
            stderr=stderr,
            workspace=tuple(workspace.files),
            home=tuple(home.files),
            notes=(*ran.notes, *workspace.notes, *home.notes),
            seconds=ended - started,
            overhead_seconds=time.monotonic() - ended + ready - begun,
        )
    except (SandboxLost, Refused, Missing) as error:
        return Ran(end=End.NOT_STARTED if started is None else End.LOST, because=str(error))
    finally:
        if container is not None:
            leave(container)


def _watch(engine: Engine, container: str, drain: Drain, deadline: float, stop: threading.Event) -> _Watch:
    seen = _Watch(End.EXITED)
    while not drain.wait(min(WATCH_SECONDS, deadline - time.monotonic())):
        if stop.is_set():
            seen.end = End.CANCELLED
        elif time.monotonic() >= deadline:
            seen.end = End.TIMED_OUT
        else:
            seen.processes = max(seen.processes, engine.processes(container) or 0)
            continue
        break
    return seen


def _stopped(engine: Engine, container: str) -> State:
    """Kill what still runs and wait for the daemon to say that it is over."""
    deadline = time.monotonic() + STOP_SECONDS
    state = engine.state(container)
    if state.running:
        # The streams may close a moment before the daemon notices the exit; a kill then changes nothing.
        time.sleep(0.02)
        state = engine.state(container)
    while state.running:
        engine.kill(container)
        time.sleep(0.05)
        state = engine.state(container)
        if time.monotonic() > deadline:
            raise SandboxLost("the Docker daemon could not stop the container")
    return state


def _told(job: Job, seen: _Watch, state: State, flooded: bool, workspace: Harvest) -> Ran:
    """The named end, most specific first, and the limits that were reached."""
    limits = job.limits
    notes = []
    if workspace.used_bytes >= NEARLY * limits.workspace_bytes:
        notes.append(f"the workspace was full: {limits.workspace_bytes} bytes")
    if workspace.entries >= NEARLY * limits.workspace_inodes:
        notes.append(f"the workspace was full: {limits.workspace_inodes} files")
    if seen.processes >= NEARLY * limits.processes:
        notes.append(f"the process limit was reached: {limits.processes}")
    if flooded:
        end, because = End.LOG_FLOOD, f"it wrote more than {limits.log_bytes} bytes of output"
    elif seen.end is End.TIMED_OUT:
        end, because = End.TIMED_OUT, f"it ran longer than {limits.seconds:g} s"
    elif seen.end is End.CANCELLED:
        end, because = End.CANCELLED, "the run was interrupted"
    elif state.out_of_memory and state.exit_code == KILLED:
        end, because = End.OUT_OF_MEMORY, f"it used more than {limits.memory_bytes} bytes of memory"
    elif state.error:
        # The daemon could not run the command at all, for instance a program that the image lacks.
        return Ran(end=End.NOT_STARTED, because=state.error, exit_code=state.exit_code)
    else:
        if state.out_of_memory:
            notes.append("a process was killed for want of memory")
        end, because = End.EXITED, ""
    return Ran(end=end, because=because, exit_code=state.exit_code, notes=tuple(notes))


def _collect(engine: Engine, place: Berth, job: Job) -> tuple[Harvest, Harvest]:
    """Workspace, and of home what the harness's log needs; the latter only where it keeps one."""
    limits = job.limits
    with engine.get(place.holder, HELD_WORKSPACE) as chunks:
        workspace = read(chunks, root="workspace", limits=limits)
    if not job.keep_home:
        return workspace, Harvest()
    with engine.get(place.holder, HELD_HOME) as chunks:
        return workspace, read(chunks, root="home", limits=limits, wanted=lambda path: path.startswith(job.keep_home))
