"""The gateway's container: lines in over its stdin, lines out over its stdout, the sockets of the slots in volumes.

The key passes here only as a line on stdin: it is in no environment, no argument, no file, no log of the daemon.
"""

from __future__ import annotations

import queue
import threading

from aces_ci.ports.sandbox import MIB, Program, SandboxLost
from aces_ci.sandboxes._docker.engine import Engine
from aces_ci.sandboxes._docker.spec import GATEWAY_USER, ContainerSpec, Mount, VolumeSpec

SLOTS = "/slots"
"""Where the gateway finds one folder a slot, with its sockets in it."""
LINE_LIMIT = 128 * MIB
STDERR_KEPT = 65536


def slot_volume(name: str) -> VolumeSpec:
    """A volume that holds sockets and nothing else: the gateway's user writes, the agent's group may pass."""
    return VolumeSpec(name=name, size=65536, inodes=16, owner=GATEWAY_USER, mode="0750", executable=False)


def gateway_spec(
    program: Program, *, name: str, image: str, network: str, volumes: dict[str, str], labels: dict[str, str]
) -> ContainerSpec:
    """The only container with a way out. `volumes`: slot name to volume name."""
    return ContainerSpec(
        name=name,
        image=image,
        command=program.command,
        user=GATEWAY_USER,
        labels=labels,
        mounts=tuple(Mount(volume=volume, target=f"{SLOTS}/{slot}") for slot, volume in volumes.items()),
        environment=program.environment,
        network=network,
        hostname="gateway",
        talks=True,
        memory=1024 * MIB,
        cpus=2.0,
        processes=128,
        files_open=8192,
        hosts=("host.docker.internal:host-gateway",),
    )


class DockerChannel:
    """Lines to and from an attached container. Create it before the start, so that no line is lost."""

    def __init__(self, engine: Engine, container: str) -> None:
        self._attached = engine.attach(container, stdin=True)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._writing = threading.Lock()
        self._stderr = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True, name="aces-gateway")
        self._thread.start()

    def send(self, line: str) -> None:
        """One line without its newline. Raises SandboxLost when the process is gone."""
        try:
            with self._writing:
                self._attached.send(line.encode("utf-8") + b"\n")
        except OSError:
            raise SandboxLost(self._gone()) from None

    def receive(self, timeout: float) -> str | None:
        """The next line, None after `timeout` seconds. Raises SandboxLost when the process is gone."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise SandboxLost(self._gone())
        return line

    def close(self) -> None:
        """Hang up: the gateway ends by itself when its stdin does."""
        self._attached.hang_up()
        self._thread.join(2.0)

    def _gone(self) -> str:
        said = bytes(self._stderr[-300:]).decode("utf-8", "replace").strip()
        return f"the gateway ended: {said}" if said else "the gateway ended"

    def _read(self) -> None:
        rest = bytearray()
        try:
            for out, err in self._attached.frames():
                if err:
                    self._stderr = (self._stderr + err)[-STDERR_KEPT:]
                if not out:
                    continue
                rest += out
                if len(rest) > LINE_LIMIT:
                    break
                if b"\n" in out:
                    *lines, last = rest.split(b"\n")
                    rest = bytearray(last)
                    for line in lines:
                        self._lines.put(line.decode("utf-8", "replace"))
        finally:
            self._lines.put(None)
            self._attached.close()
