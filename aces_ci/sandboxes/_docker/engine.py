"""The daemon: a few typed calls, each with a time-out, each failure either named or the daemon's loss."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import docker
import docker.errors
import docker.utils
import requests
import urllib3

from aces_ci.core.errors import UsageError
from aces_ci.ports.sandbox import SandboxLost
from aces_ci.sandboxes._docker.attached import Attached
from aces_ci.sandboxes._docker.spec import ContainerSpec, VolumeSpec
from aces_ci.sandboxes._docker.transport import mended

CALL_SECONDS = 60.0
"""Of any one call but builds. A daemon that is slower than this is treated as gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a container's main process ended, in the daemon's words."""

    running: bool
    exit_code: int
    out_of_memory: bool
    error: str


class Missing(Exception):
    """The daemon knows no such image, container or path."""


class Refused(Exception):
    """The daemon understood and said no; `args[0]` is its own message."""


@contextmanager
def _speaking() -> Iterator[None]:
    try:
        yield
    except docker.errors.NotFound as error:
        raise Missing(error.explanation or str(error)) from None
    except docker.errors.APIError as error:
        raise Refused(str(error.explanation or error)[:300]) from None
    except (
        requests.RequestException,
        urllib3.exceptions.HTTPError,
        docker.errors.DockerException,
        OSError,
    ) as error:
        raise SandboxLost(f"the Docker daemon did not answer ({type(error).__name__})") from None


class Engine:
    """One client of the daemon, shared by all threads of a session."""

    def __init__(self, *, connections: int = 32) -> None:
        """Raises UsageError when no daemon answers."""
        self._variables: dict[str, tuple[str, ...]] = {}
        try:
            _knock()
            client = docker.from_env(timeout=int(CALL_SECONDS), max_pool_size=connections)
            self._api = mended(client.api, connections=connections)
            # Else each of a trial's calls looks for proxies and passwords in the environment, and would use them.
            self._api.trust_env = False
            self.version = str(self._api.version()["Version"])
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            raise UsageError(
                "Docker does not answer",
                code="no_docker",
                why=f"live trials run each agent in a container of its own ({type(error).__name__})",
                do="start Docker, or mount its socket; `aces-ci doctor` tells what is missing",
            ) from None

    def close(self) -> None:
        """Give up the connections."""
        self._api.close()

    # -- volumes and networks ------------------------------------------------------------------------------------

    def create_volume(self, spec: VolumeSpec, labels: dict[str, str]) -> None:
        """Create a volume in memory. It is mounted with its first container."""
        body = spec.payload(labels)
        with _speaking():
            self._api.create_volume(
                body["Name"], driver=body["Driver"], driver_opts=body["DriverOpts"], labels=body["Labels"]
            )

    def remove_volume(self, name: str) -> None:
        """Remove; gone already is as good."""
        with _gone_is_fine(), _speaking():
            self._api.remove_volume(name, force=True)

    def create_network(self, name: str, labels: dict[str, str]) -> None:
        """A bridge whose members cannot reach each other."""
        with _speaking():
            self._api.create_network(
                name,
                driver="bridge",
                labels=labels,
                options={"com.docker.network.bridge.enable_icc": "false"},
            )

    def remove_network(self, name: str) -> None:
        """Remove; gone already is as good."""
        with _gone_is_fine(), _speaking():
            self._api.remove_network(name)

    # -- containers ----------------------------------------------------------------------------------------------

    def create(self, spec: ContainerSpec) -> str:
        """Create a container and return its id."""
        with _speaking():
            created: dict[str, Any] = self._api.create_container_from_config(  # type: ignore[no-untyped-call]
                spec.payload(), spec.name
            )
        return str(created["Id"])

    def start(self, container: str) -> None:
        """Start the main process."""
        with _speaking():
            self._api.start(container)

    def kill(self, container: str) -> None:
        """SIGKILL; a container that has ended by itself is as good."""
        try:
            with _gone_is_fine(), _speaking():
                self._api.kill(container)
        except Refused:
            pass

    def remove(self, container: str) -> None:
        """Kill and remove; gone already is as good."""
        with _gone_is_fine(), _speaking():
            self._api.remove_container(container, force=True, v=True)

    def state(self, container: str) -> State:
        """How it stands."""
        with _speaking():
            state = self._api.inspect_container(container)["State"]
        return State(
            running=bool(state["Running"]),
            exit_code=int(state["ExitCode"]),
            out_of_memory=bool(state["OOMKilled"]),
            error=str(state.get("Error") or "")[:300],
        )

    def processes(self, container: str) -> int | None:
        """How many processes and threads run in it now; None where the daemon cannot tell."""
        with _speaking():
            stats = self._api.stats(container, stream=False, one_shot=True)
        current = (stats.get("pids_stats") or {}).get("current")
        return int(current) if current is not None else None

    def put(self, container: str, target: str, archive: bytes) -> None:
        """Unpack a tar archive into a folder of a container that need not run."""
        with _speaking():
            if not self._api.put_archive(container, target, archive):
                raise Refused(f"the files could not be staged at {target}")

    @contextmanager
    def get(self, container: str, path: str) -> Iterator[Iterator[bytes]]:
        """The tar stream of a folder, closed on leaving: an open one would hang every other call.

        Raises Refused where the path itself is a link: what it points to is not what was asked for.
        """
        with _speaking():
            stream, stat = self._api.get_archive(container, path, chunk_size=262_144)
            if stat.get("linkTarget"):
                stream.close()
                raise Refused(f"{path} is a link")
            try:
                yield iter(stream)
            finally:
                stream.close()

    def attach(self, container: str, *, stdin: bool = False) -> Attached:
        """Attach to a container that is not started yet."""
        wanted = {"stdin": int(stdin), "stdout": 1, "stderr": 1, "stream": 1}
        with _speaking():
            return Attached(self._api.attach_socket(container, params=wanted))

    # -- what carries a label ------------------------------------------------------------------------------------

    def labelled(self, label: str) -> dict[str, list[tuple[str, dict[str, str]]]]:
        """Containers, volumes and networks with a label: (id or name, labels)."""
        where = {"label": label}
        with _speaking():
            containers = self._api.containers(all=True, filters=where)
            volumes = self._api.volumes(filters=where).get("Volumes") or []
            networks = self._api.networks(filters=where)
        return {
            "containers": [(item["Id"], item.get("Labels") or {}) for item in containers],
            "volumes": [(item["Name"], item.get("Labels") or {}) for item in volumes],
            "networks": [(item["Id"], item.get("Labels") or {}) for item in networks],
        }

    # -- images --------------------------------------------------------------------------------------------------

    def image(self, reference: str) -> dict[str, Any]:
        """What the daemon knows of an image. Raises Missing."""
        with _speaking():
            found: dict[str, Any] = self._api.inspect_image(reference)  # type: ignore[no-untyped-call]
        return found

    def image_of(self, container: str) -> str:
        """Digest of the image that a container was made from. Raises Missing."""
        with _speaking():
            return str(self._api.inspect_container(container)["Image"])

    def pull(self, reference: str) -> None:
        """Fetch an image from its registry. Raises Refused, also where the registry does not answer."""
        with _speaking():
            for row in self._api.pull(reference, stream=True, decode=True):
                if "error" in row:
                    raise Refused(str(row["error"])[:300])

    def variables(self, image: str) -> tuple[str, ...]:
        """Names of the variables that an image declares. Raises Missing."""
        if image not in self._variables:
            declared = (self.image(image).get("Config") or {}).get("Env") or []
            self._variables[image] = tuple(str(row).partition("=")[0] for row in declared)
        return self._variables[image]

    def build(self, context: bytes, *, tag: str, arguments: dict[str, str], network: str | None) -> Iterator[str]:
        """Build an image from a tar context; yields the daemon's lines. Raises Refused where it fails."""
        with _speaking():
            for row in self._api.build(
                fileobj=io.BytesIO(context),
                custom_context=True,
                tag=tag,
                buildargs=arguments,
                network_mode=network,
                rm=True,
                forcerm=True,
                decode=True,
                timeout=1800,
            ):
                if "error" in row:
                    raise Refused(str(row["error"])[:500])
                yield str(row.get("stream", "")).rstrip("\n")


def _knock() -> None:
    """Raise OSError where nobody listens: the client library would leave its own socket open over that."""
    url = str(docker.utils.parse_host(docker.utils.kwargs_from_env().get("base_url")))
    transport, _, path = url.partition("://")
    if transport == "http+unix":
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.settimeout(CALL_SECONDS)
            knocking.connect(path)


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    with suppress(Missing):
        yield
