"""Whether agents could start here: Docker, the gateway's image, and of each agent its image or its program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.core.live_opening import OPEN
from aces_ci.jobs.readiness_row import Row
from aces_ci.ports.sandbox import ImageRequest, Sandbox, Wanted
from aces_ci.settings.model import Settings

_OPEN = Row(
    state="warn",
    what="sandbox: live.sandbox.backend is process",
    so=OPEN,
    do="leave it out: docker is the default",
)


def sandbox_rows(settings: Settings | None, env: Mapping[str, str]) -> Iterator[Row]:
    """What the configured sandbox needs. Without settings, which have a row of their own, Docker's word alone."""
    if settings is not None and settings.live.sandbox.backend == "process":
        yield _OPEN
        yield from agent_rows(settings, env, None)
        return
    rows, here = _docker(env)
    yield from rows
    if here is not None:
        yield from gateway_row(env, here)
    if settings is not None:
        yield from agent_rows(settings, env, here)


def agent_rows(settings: Settings, env: Mapping[str, str], here: Collection[str] | None) -> Iterator[Row]:
    """Each configured agent. `here`: names of the daemon's images; None where nobody can tell.

    Nothing where live trials are not installed: Docker's row says so.
    """
    from aces_ci import agent_images, compose

    try:
        sandbox = compose.sandbox(settings.live.sandbox.backend)
    except UsageError:
        return
    harnesses = compose.harnesses()
    names = [row.name for row in settings.live.harnesses]
    for name in dict.fromkeys(name for name in names if name not in harnesses or not harnesses[name].recipe):
        yield Row(
            state="fail",
            what=f"agent {plain(name, 60)}: there is no such harness to run",
            do="choose another one in live.harnesses",
            needed_by=("live",),
        )
    rows = []
    for name, request in agent_images.requests(settings, harnesses, env):
        wanted = sandbox.wanted(request)
        if wanted is None:
            rows.append(_program_row(name, sandbox, request))
        else:
            rows.append(_image_row(name, wanted, here))
    yield from dict.fromkeys(rows)


def _image_row(name: str, wanted: Wanted, here: Collection[str] | None) -> Row:
    if here is None:
        return Row(state="warn", what=f"agent {name}: cannot tell without Docker whether image {wanted.name} is here")
    if wanted.name in here:
        return Row(state="ok", what=f"agent {name}: image {wanted.name} is here")
    bases = " and ".join(f"{base} ({'here' if base in here else 'to be pulled'})" for base in wanted.bases)
    return Row(
        state="warn",
        what=f"agent {name}: image {wanted.name} is not here",
        so=f"the first live run builds it on {bases}",
        do="aces-ci live --pull-only",
    )


def _program_row(name: str, sandbox: Sandbox, request: ImageRequest) -> Row:
    """Where there are no images, to ask for one is to look for the program."""
    try:
        sandbox.image(request)
    except UsageError as error:
        what, so, do = f"agent {name}: {error.message}", error.why or "", error.do or ""
        return Row(state="fail", what=what, so=so, do=do, needed_by=("live",))
    program = request.command[0]
    return Row(state="ok", what=f"agent {name}: `{plain(program, 60)}` is on this machine")


def _docker(env: Mapping[str, str]) -> tuple[list[Row], frozenset[str] | None]:
    """How the daemon stands, and the names of the images that it has; None where nobody answers."""
    try:
        import docker

        client = docker.from_env(timeout=5, environment=dict(env))
        version = client.version().get("Version", "")
        here = {name for image in client.images.list() for name in (*image.tags, *image.attrs["RepoDigests"])}
        client.close()
    except ImportError:
        row = Row(
            state="fail",
            what="docker: the client is not installed",
            do="pip install 'aces-ci[live]'",
            needed_by=("live",),
        )
    except Exception as error:  # noqa: BLE001 - docker-py raises half a dozen unrelated classes for "no daemon"
        said = str(error).splitlines()[0][:120]
        row = Row(state="fail", what="docker: no daemon answers", so=said, do="start Docker", needed_by=("live",))
    else:
        return [Row(state="ok", what=f"docker {version}")], frozenset(here)
    return [row], None


def gateway_row(env: Mapping[str, str], here: Collection[str]) -> Iterator[Row]:
    """Whether the image of the gateway is among the tags that are `here`. A forge's job runs in it already."""
    if "true" in {env.get("GITHUB_ACTIONS"), env.get("GITLAB_CI")}:
        return
    from aces_ci.agent_images import program_of

    program = program_of(env)
    found = next((name for name in (program.image, program.published) if name in here), None)
    if found is not None:
        yield Row(state="ok", what=f"gateway: image {found} is here")
        return
    build = f"docker build -t {program.image} ."
    pulled = f"aces-ci live --pull-only      (in a clone of aces-ci: {build})"
    yield Row(
        state="fail",
        what=f"gateway: image {program.image} is not here",
        so="live cannot start before it is",
        do=pulled if program.published else f"{build}, or leave ACES_IMAGE out",
        needed_by=("live",),
    )
