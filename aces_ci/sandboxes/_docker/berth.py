"""Where one trial's files lie: two volumes in memory, and a holder that keeps them mounted.

A volume in memory is empty again as soon as no container mounts it, and the agent's container is mounted only while
it runs; the holder bridges staging before and collecting after. A berth serves one trial and is then removed.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.ports.sandbox import Limits, SandboxLost
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused
from aces_ci.sandboxes._docker.spec import (
    AGENT_USER,
    HOLDER_USER,
    HOME,
    WORKSPACE,
    ContainerSpec,
    Mount,
    VolumeSpec,
)

HOLD = ("sleep", "infinity")
HELD = "/held"
HELD_WORKSPACE, HELD_HOME = f"{HELD}/workspace", f"{HELD}/home"


@dataclass(frozen=True, slots=True, kw_only=True)
class Berth:
    """Names of what was made. `key` is random: nothing outside tells arm, case or skill."""

    key: str
    holder: str
    workspace: str
    home: str

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """As the agent sees them."""
        return (Mount(volume=self.workspace, target=WORKSPACE), Mount(volume=self.home, target=HOME))


def volumes(key: str, limits: Limits) -> tuple[VolumeSpec, VolumeSpec]:
    """Workspace and home of one trial."""
    return (
        VolumeSpec(
            name=f"aces-{key}-ws",
            size=limits.workspace_bytes,
            inodes=limits.workspace_inodes,
            owner=AGENT_USER,
        ),
        VolumeSpec(name=f"aces-{key}-home", size=limits.home_bytes, inodes=limits.home_inodes, owner=AGENT_USER),
    )


def holder(key: str, image: str, labels: dict[str, str]) -> ContainerSpec:
    """Does nothing, may do nothing, and sees nothing: the volumes' roots are closed to its user.

    Files go in and come out through it, which is quicker than through a container that does not run: the daemon has
    its file system mounted already. They come out when the agent's container has stopped, so nothing moves any more.
    """
    return ContainerSpec(
        name=f"aces-{key}-hold",
        image=image,
        command=HOLD,
        user=HOLDER_USER,
        labels=labels,
        mounts=(
            Mount(volume=f"aces-{key}-ws", target=HELD_WORKSPACE),
            Mount(volume=f"aces-{key}-home", target=HELD_HOME),
        ),
        memory=32 * 1024 * 1024,
        processes=16,
        cpus=0.1,
    )


def make(engine: Engine, image: str, limits: Limits, labels: dict[str, str]) -> Berth:
    """Create volumes and holder. Raises SandboxLost, Refused, Missing."""
    key = secrets.token_hex(8)
    workspace, home = volumes(key, limits)
    engine.create_volume(workspace, labels)
    engine.create_volume(home, labels)
    container = engine.create(holder(key, image, labels))
    engine.start(container)
    return Berth(key=key, holder=container, workspace=workspace.name, home=home.name)


def discard(engine: Engine, berth: Berth, containers: Sequence[str]) -> None:
    """Remove all of it and what lay in it. What the daemon does not let go now is found by the sweep."""
    for remove, name in (
        *((engine.remove, container) for container in containers),
        (engine.remove, berth.holder),
        (engine.remove_volume, berth.workspace),
        (engine.remove_volume, berth.home),
    ):
        try:
            remove(name)
        except (SandboxLost, Refused, Missing):
            continue
