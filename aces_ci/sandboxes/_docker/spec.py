"""The only containers that aces-ci creates: a typed value and its create payload.

There is no field for a bind mount, a device, a privilege or another container's namespace, so none can be asked for.
Every payload is a golden file of the tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from aces_ci.ports.sandbox import MIB

RUN_LABEL = "aces-ci.run"
CREATED_LABEL = "aces-ci.created"
"""Unix seconds, as text: the sweep of dead runs goes by age."""
AGENT_USER = "1000:1000"
GATEWAY_USER = "10001:1000"
HOLDER_USER = "65534:65534"
SLOT_MOUNT = "/run/gw"
SOCKET, TUNNEL = "gw.sock", "net.sock"
"""In a slot's volume: the gateway for the model, and its CONNECT proxy where the policy allows hosts."""
WORKSPACE = "/workspace"
HOME = "/home/agent"
NO_NETWORK = "none"
_MOUNT_FLAGS = "nosuid,nodev"


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeSpec:
    """A named volume in memory: bounded in bytes and inodes without any quota support of the disk."""

    name: str
    size: int
    inodes: int
    owner: str
    """`uid:gid` of its root."""
    mode: str = "0700"
    executable: bool = True

    def payload(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Body of `POST /volumes/create`."""
        uid, gid = self.owner.split(":")
        flags = _MOUNT_FLAGS if self.executable else f"{_MOUNT_FLAGS},noexec"
        options = f"size={self.size},nr_inodes={self.inodes},uid={uid},gid={gid},mode={self.mode},{flags}"
        return {
            "Name": self.name,
            "Driver": "local",
            "DriverOpts": {"type": "tmpfs", "device": "tmpfs", "o": options},
            "Labels": dict(labels),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A named volume at a path."""

    volume: str
    target: str
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSpec:
    """One container: no capability, no new privilege, read-only root, our system call filter, bounded everything."""

    name: str
    image: str
    """By digest (`sha256:…`): a tag may move between planning and running."""
    command: tuple[str, ...]
    user: str
    labels: Mapping[str, str]
    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    """Variables that the image declares and the process shall not have."""
    network: str = NO_NETWORK
    """`none`, or the name of a network of this run."""
    working_dir: str = "/"
    hostname: str = "sandbox"
    talks: bool = False
    """Whether its stdin stays open: the gateway's control lines."""
    memory: int = 256 * MIB
    cpus: float = 1.0
    processes: int = 64
    files_open: int = 1024
    file_bytes: int | None = None
    scratch: int = 16 * MIB
    hosts: tuple[str, ...] = ()
    """Extra `name:address` lines of /etc/hosts."""

    def payload(self) -> dict[str, Any]:
        """Body of `POST /containers/create`."""
        ulimits = [("nofile", self.files_open), ("core", 0)]
        if self.file_bytes is not None:
            ulimits.append(("fsize", self.file_bytes))
        return {
            "Image": self.image,
            "Entrypoint": [self.command[0]],
            "Cmd": list(self.command[1:]),
            "User": self.user,
            "Env": [
                *(f"{key}={value}" for key, value in sorted(self.environment.items())),
                # A name without a value takes the image's variable away.
                *sorted(set(self.unset) - set(self.environment)),
            ],
            "WorkingDir": self.working_dir,
            "Hostname": self.hostname,
            "Domainname": "",
            "Labels": dict(self.labels),
            "Healthcheck": {"Test": ["NONE"]},
            "Tty": False,
            "OpenStdin": self.talks,
            "StdinOnce": self.talks,
            "AttachStdin": self.talks,
            "AttachStdout": True,
            "AttachStderr": True,
            "HostConfig": {
                "NetworkMode": self.network,
                "ReadonlyRootfs": True,
                "Privileged": False,
                "Init": True,
                "AutoRemove": False,
                "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0},
                "CapAdd": [],
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges", f"seccomp={seccomp()}"],
                "IpcMode": "private",
                "PidsLimit": self.processes,
                "Memory": self.memory,
                "MemorySwap": self.memory,
                "NanoCpus": round(self.cpus * 1e9),
                "OomKillDisable": False,
                "Ulimits": [{"Name": name, "Soft": value, "Hard": value} for name, value in ulimits],
                "ShmSize": 64 * MIB,
                "Tmpfs": {"/tmp": f"rw,{_MOUNT_FLAGS},size={self.scratch},nr_inodes=10000,mode=1777"},
                "Mounts": [
                    {
                        "Type": "volume",
                        "Source": mount.volume,
                        "Target": mount.target,
                        "ReadOnly": mount.read_only,
                        # Else the daemon would copy what the image has at that path into the volume.
                        "VolumeOptions": {"NoCopy": True},
                    }
                    for mount in self.mounts
                ],
                # The streams are read by us as they come: a log file on the daemon's disk has no bound worth having.
                "LogConfig": {"Type": "none", "Config": {}},
                "Dns": ["127.0.0.1"] if self.network == NO_NETWORK else [],
                "ExtraHosts": list(self.hosts),
            },
        }


@cache
def seccomp() -> str:
    """Our system call filter as one line. Old engines' own default leaves vsock and io_uring open."""
    text = resources.files("aces_ci.sandboxes").joinpath("seccomp.json").read_text("utf-8")
    return json.dumps(json.loads(text), separators=(",", ":"))
