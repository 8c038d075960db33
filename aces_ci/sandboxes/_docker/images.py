"""Images of the harnesses: built once from the recipe in this package, found again by what they were built from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest, SandboxLost
from aces_ci.sandboxes._docker import dockerfile
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused

REPOSITORY = "aces-ci"
DEFAULT_BASE = "python:3.11-slim-bookworm"
_SHARED = ("relay.py",)


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
    base = request.base or DEFAULT_BASE
    files = (*recipe(request.recipe), *request.files)
    arguments = {"BASE": base, **({"FETCH": request.fetch} if request.fetch else {})}
    tag = f"{REPOSITORY}/{request.recipe}:{_digest(files, arguments)}"
    found = _found(engine, files, tag, arguments, network=None, build=request.build)
    return _on_top(engine, request, base, tag) if request.environment else found


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
            raise UsageError(f"the image {tag} is not here", code="no_image", do="aces-ci live --pull-only") from None
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
