"""The images of a run: one a harness, on a skill's own environment where it brings one, and the gateway's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from aces_ci import __version__
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.skill import Skill
from aces_ci.core.staging import StagedFile
from aces_ci.ports.harness import Harness, Invocation
from aces_ci.ports.sandbox import ImageRequest, Program, Sandbox
from aces_ci.settings.model import Settings

IMAGE = f"aces-ci:{__version__}"
PUBLISHED = f"ghcr.io/aces-ci/aces-ci:{__version__}"
"""Our own image, in which the gateway runs, as a clone calls it and as it is released; `ACES_IMAGE` names another."""
ENVIRONMENT = "evals/environment/"
_SERVICES = re.compile(r"(?i)(^|/)((docker-)?compose[^/]*\.ya?ml|mcp[^/]*\.json|sidecars?)(/|$)")


def images_for(
    settings: Settings,
    harnesses: Mapping[str, Harness],
    sandbox: Sandbox,
    *,
    env: Mapping[str, str] | None = None,
    environment: tuple[StagedFile, ...] = (),
) -> dict[str, str]:
    """Digest of each configured harness's image, built where it is missing.

    `env` may name other images to build on (`ACES_SANDBOX_BASE`, `ACES_SANDBOX_FETCH`): where a runner has mirrors.
    Raises UsageError.
    """
    named = env or {}
    # Two agents of one harness share its image; each has a program of its own to be there.
    return {name: sandbox.image(request) for name, request in requests(settings, harnesses, named, environment)}


def requests(
    settings: Settings,
    harnesses: Mapping[str, Harness],
    env: Mapping[str, str],
    environment: tuple[StagedFile, ...] = (),
) -> Iterator[tuple[str, ImageRequest]]:
    """What each configured agent needs, beside its harness's name; the same need once."""
    seen = set()
    for row in sorted(settings.live.harnesses, key=lambda row: row.name):
        harness = harnesses.get(row.name)
        if harness is None or not harness.recipe:
            continue
        request = ImageRequest(
            recipe=harness.recipe,
            environment=environment,
            base=env.get("ACES_SANDBOX_BASE") or None,
            fetch=env.get("ACES_SANDBOX_FETCH") or None,
            command=_start_of(harness, row.command),
        )
        if (row.name, request) not in seen:
            seen.add((row.name, request))
            yield row.name, request


def _start_of(harness: Harness, command: tuple[str, ...]) -> tuple[str, ...]:
    """How it is started, whatever the task: only to see whether that is there."""
    task = Invocation(prompt="", model="", base_url="", api=harness.apis[0], token="", command=command)
    return harness.launch(task).command


def environment_of(skills: Iterable[Skill], trust: Trust) -> tuple[StagedFile, ...]:
    """The one `evals/environment/` of the skills of a run; empty where none has one.

    Raises:
        UsageError: a change that is not trusted brings one, skills bring different ones, or it asks for services
            beside the agent, which are not run.
    """
    found = {skill.root: _environment(skill) for skill in skills}
    distinct = set(found.values())
    with_one = next((root for root, files in found.items() if files), None)
    if with_one is None:
        return ()
    if trust is Trust.FORK:
        raise _environment_refused(
            with_one, "it is built for trusted changes only", "ask a maintainer to take it in first"
        )
    if len(distinct) > 1:
        raise _environment_refused(with_one, "the skills of one run share an image", "run these skills one by one")
    files = distinct.pop()
    odd = next((file.path for file in files if _SERVICES.search(file.path)), None)
    if odd is not None:
        raise _environment_refused(with_one, f"`{odd}` asks for services, which are not run yet", "leave it out")
    return files


def _environment(skill: Skill) -> tuple[StagedFile, ...]:
    return tuple(
        StagedFile(path=path.removeprefix(ENVIRONMENT), data=file.data)
        for path, file in sorted(skill.files.items())
        if path.startswith(ENVIRONMENT) and file.data is not None
    )


def _environment_refused(root: str, why: str, do: str) -> UsageError:
    return UsageError(f"{root}/{ENVIRONMENT} cannot be used", code="environment", path=root, why=why, do=do)


def gateway_of(sandbox: Sandbox, env: Mapping[str, str]) -> Program:
    """The gateway with its image, looked for once a run, before anything is built: a build takes a minute, and without
    a gateway it would be for nothing. Raises UsageError: it is not to be had."""
    program = program_of(env)
    return replace(program, digest=sandbox.gateway(program))


def program_of(env: Mapping[str, str]) -> Program:
    """The gateway: our own image, the same command in every sandbox."""
    command = ("python3", "-m", "aces_ci", "gateway")
    chosen = env.get("ACES_IMAGE")
    return Program(image=chosen or IMAGE, command=command, published=None if chosen else PUBLISHED)
