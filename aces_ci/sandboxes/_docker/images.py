"""Images of the harnesses: built once from the recipe in this package, found again by what they were built from."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest, Program, SandboxLost, Wanted
from aces_ci.sandboxes._docker import dockerfile
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused

REPOSITORY = "aces-ci"
DEFAULT_BASE = "python:3.11-slim-bookworm"
_SHARED = ("relay.py",)
_DEFAULT = re.compile(r"(?m)^ARG (\w+)=(\S+)")
_FROM = re.compile(r"(?m)^FROM \$\{(\w+)\}")
_CONTAINER = re.compile(r"/containers/([0-9a-f]{64})/(?:hostname|hosts|resolv\.conf) ")
"""Files that the daemon mounts into each container: the host name may be anything, as on GitLab's runners."""


def recipe(name: str) -> tuple[StagedFile, ...]:
    """The build context of one harness. Raises UsageError: there is no such recipe."""
    root = resources.files("aces_ci.sandboxes").joinpath("images")
    folder = root.joinpath(name)
    if not folder.joinpath("Dockerfile").is_file():
        raise UsageError(
            f"there is no image for the harness `{name}`",
            code="no_recipe",
            why=f"aces_ci/sandboxes/images/{name}/Dockerfile does not exist",
            do="choose another harness: aces-ci settings lists them",
        )
    shared = (StagedFile(path=file, data=root.joinpath(file).read_bytes()) for file in _SHARED)
    return (*_files(folder), *shared)


def ensure(engine: Engine, request: ImageRequest) -> str:
    """Digest of the image, built where it is missing.

    Raises:
        UsageError: the author's Dockerfile is refused, a build fails, or the image declares a volume (it would be
            writable and without bound).
    """
    files, arguments = _context(request)
    tag = _tag(request.recipe, files, arguments)
    found = _found(engine, files, tag, arguments, network=None, build=request.build)
    return _on_top(engine, request, arguments["BASE"], tag) if request.environment else found


def wanted(request: ImageRequest) -> Wanted:
    """The harness's image, without layers of an author. Raises UsageError: there is no such recipe."""
    files, arguments = _context(request)
    text = next(file.data for file in files if file.path == "Dockerfile").decode("utf-8")
    bases = {**dict(_DEFAULT.findall(text)), **arguments}
    return Wanted(name=_tag(request.recipe, files, arguments), bases=tuple(bases[name] for name in _FROM.findall(text)))


def _context(request: ImageRequest) -> tuple[tuple[StagedFile, ...], dict[str, str]]:
    """What the image is built from: files, and the values of `ARG`."""
    base = request.base or DEFAULT_BASE
    arguments = {"BASE": base, **({"FETCH": request.fetch} if request.fetch else {})}
    return (*recipe(request.recipe), *request.files), arguments


def _tag(name: str, files: tuple[StagedFile, ...], arguments: dict[str, str]) -> str:
    return f"{REPOSITORY}/{name}:{_digest(files, arguments)}"


def gateway(engine: Engine, program: Program) -> str:
    """Digest of the image that the gateway runs in, as it was found before where it was.

    An action or a job already runs in it, under a name that only the forge's runner knows: the container's own image
    is taken. A terminal has none, and needs it by name.

    Raises:
        UsageError: it is not here and cannot be fetched.
    """
    if program.digest:
        return program.digest
    try:
        if program.published is None:
            return str(engine.image(program.image)["Id"])
        return _own(engine) or str(engine.image(program.image)["Id"])
    except Missing as error:
        missing = str(error)
    if program.published is None:
        raise UsageError(
            f"the gateway's image {program.image} is not here",
            code="no_image",
            why=missing,
            do="build it or pull it under this name, or leave ACES_IMAGE out",
        )
    try:
        with suppress(Missing):
            return str(engine.image(program.published)["Id"])
        engine.pull(program.published)
        return str(engine.image(program.published)["Id"])
    except (Missing, Refused, SandboxLost) as error:
        raise UsageError(
            f"the gateway's image is not here: neither {program.image} nor {program.published}",
            code="no_image",
            why=f"it could not be pulled: {error}",
            do=f"in a clone of aces-ci: docker build -t {program.image} . (or name another one: ACES_IMAGE)",
        ) from None


def _own(engine: Engine) -> str | None:
    """The image of the container that this process runs in; None where this daemon knows no such container."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "replace")
    except OSError:
        return None
    found = _CONTAINER.search(mounts)
    try:
        return engine.image_of(found[1]) if found else None
    except (Missing, Refused):
        return None


def _on_top(engine: Engine, request: ImageRequest, base: str, harness: str) -> str:
    """The author's own layers on a harness's image, and ours laid over them again.

    In this order, because a recipe needs the network: behind the author's layers its `RUN` would be the author's shell.
    """
    own = next((file for file in request.environment if file.path == "Dockerfile"), None)
    if own is None:
        raise UsageError(
            "evals/environment has no Dockerfile",
            code="environment_dockerfile",
            why="compose files and other recipes are not run",
            do="write a Dockerfile that begins with `FROM " + base + "`",
        )
    rebased = dockerfile.rebased(own.data, path="evals/environment/Dockerfile", base=base, onto=harness)
    files = (*(file for file in request.environment if file is not own), replace(own, data=rebased))
    tag = f"{REPOSITORY}/environment:{_digest(files, {})}"
    _found(engine, files, tag, {}, network="none", build=request.build)
    arguments = {"BASE": tag, "HARNESS": harness}
    sealed = recipe("sealed")
    tag = f"{REPOSITORY}/{request.recipe}-environment:{_digest(sealed, arguments)}"
    return _found(engine, sealed, tag, arguments, network="none", build=request.build)


def _found(
    engine: Engine,
    files: tuple[StagedFile, ...],
    tag: str,
    arguments: dict[str, str],
    *,
    network: str | None,
    build: bool,
) -> str:
    try:
        return _usable(engine.image(tag), tag)
    except Missing:
        if not build:
            do = "aces-ci live --pull-only builds it"
            raise UsageError(f"the image {tag} is not here", code="no_image", do=do) from None
        return _build(engine, files, tag, arguments, network)


def _build(
    engine: Engine, files: tuple[StagedFile, ...], tag: str, arguments: dict[str, str], network: str | None
) -> str:
    lines: list[str] = []
    try:
        for line in engine.build(pack(files, uid=0, gid=0), tag=tag, arguments=arguments, network=network):
            lines = [*lines[-19:], line]
        return _usable(engine.image(tag), tag)
    except (Refused, Missing, SandboxLost) as error:
        said = "\n".join(line for line in lines if line.strip())[-800:]
        raise UsageError(
            f"the image {tag} could not be built: {error}",
            code="image_build",
            why=said or "the daemon gave no further word",
            do="repair it and try `aces-ci live --pull-only` again",
        ) from None


def _usable(image: dict[str, object], tag: str) -> str:
    configuration = image.get("Config")
    volumes = configuration.get("Volumes") if isinstance(configuration, dict) else None
    if volumes:
        raise UsageError(
            f"the image {tag} declares a volume: {', '.join(sorted(volumes))}",
            code="image_volume",
            why="a declared volume stays writable and unbounded, even under a read-only root",
            do="build on a base image without VOLUME",
        )
    return str(image["Id"])


def _digest(files: tuple[StagedFile, ...], arguments: dict[str, str]) -> str:
    whole = [[file.path, hashlib.sha256(file.data).hexdigest(), file.executable] for file in files]
    text = json.dumps([sorted(whole), sorted(arguments.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _files(folder: Traversable) -> list[StagedFile]:
    return [
        StagedFile(path=item.name, data=item.read_bytes())
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.is_file()
    ]
