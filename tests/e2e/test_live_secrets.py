"""A canary key through a whole run: it is in nothing that the run leaves or shows; a planted control is found."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import pytest

from aces_ci.sandboxes._docker.spec import RUN_LABEL
from aces_ci.shell.evidence_file import EvidenceFile
from aces_ci.shell.files import Folder
from aces_ci.tiers import live
from tests.e2e import live_rig as rig

pytestmark = pytest.mark.e2e

RUN = "e2e-canary"
CONTROL = "planted-control-7d1f0c"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    return rig.images(("builtin",), tmp_path_factory.mktemp("fetch"))["builtin"]


def docker(*words: str) -> bytes:
    done = subprocess.run(["docker", *words], capture_output=True, timeout=60, check=False)
    return done.stdout + done.stderr


def seen_by_the_daemon() -> bytes:
    """All that it tells of the run's containers: inspect, logs, processes, changed files, exported file systems."""
    found = b""
    for container in docker("ps", "-aq", "--filter", f"label={RUN_LABEL}={RUN}").decode().split():
        found += docker("inspect", container) + docker("logs", container) + docker("top", container, "-eo", "args")
        found += docker("diff", container) + docker("export", container)
    for volume in docker("volume", "ls", "-q", "--filter", f"label={RUN_LABEL}={RUN}").decode().split():
        found += docker("volume", "inspect", volume)
    return found


def test_the_key_is_nowhere_and_the_control_is_found(image: str, tmp_path: Path) -> None:
    """The control is staged as a fixture of the same run and searched for in the same bytes."""
    case = rig.CASE
    subject = rig.subject(cases=[case])
    planted = {**subject.fixtures, case.files[0].source: f"day,rise\n1,4\n# {CONTROL}\n".encode()}
    subject = rig.subject()
    object.__setattr__(subject, "fixtures", planted)
    plan = rig.plan([rig.contender("builtin", image)], subjects=[subject], looks=(2,))
    sink = EvidenceFile(Folder(tmp_path, Path("out")))  # type: ignore[arg-type]
    looks: list[bytes] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            looks.append(seen_by_the_daemon())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        ended = live.run(plan, rig.means(), sink, run_id=RUN)
    finally:
        over.set()
        watcher.join()
    assert ended.stopped == "" and any(looks)
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    layers = docker("history", "--no-trunc", rig.GATEWAY) + docker("image", "inspect", rig.GATEWAY, image)
    everything = written + b"".join(looks) + layers
    assert CONTROL.encode() in written, "the search must be able to find something"
    for form in (rig.CANARY, rig.CANARY[::-1], rig.CANARY.encode().hex()):
        assert form.encode() not in everything
    assert b"aces-" in b"".join(looks), "tokens of trials are seen, so environments were searched"
    assert docker("ps", "-aq", "--filter", f"label={RUN_LABEL}={RUN}") == b""


def test_the_output_can_be_read_by_its_owner_alone(image: str, tmp_path: Path) -> None:
    plan = rig.plan([rig.contender("builtin", image)])
    sink = EvidenceFile(Folder(tmp_path, Path("out")))  # type: ignore[arg-type]
    live.run(plan, rig.means(), sink, run_id="e2e-modes")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files and all(path.stat().st_mode & 0o077 == 0 for path in files)


def killed_driver(run: str) -> str:
    """The gateway's container of a run whose driver is killed."""
    script = (
        "import threading, time\nfrom tests.e2e import live_rig as rig\nfrom aces_ci.sandboxes.docker import SANDBOX\n"
        f"with SANDBOX.open(run={run!r}, slots=1, program=rig.program(), limits=rig.SMALL) as session:\n"
        "    print(session.container, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [str(rig.ROOT / ".venv/bin/python"), "-c", script], cwd=rig.ROOT, stdout=subprocess.PIPE
    ) as driver:
        assert driver.stdout is not None
        container = driver.stdout.readline().decode().strip()
        driver.kill()
    return container


def test_what_a_killed_start_left_is_gone_before_the_next_start_of_the_same_run(image: str) -> None:
    from aces_ci.sandboxes.docker import SANDBOX

    container = killed_driver("e2e-again")
    with SANDBOX.open(run="e2e-again", slots=1, program=rig.program(), limits=rig.SMALL) as session:
        found = docker("ps", "-aq", "--no-trunc", "--filter", f"label={RUN_LABEL}=e2e-again").decode().split()
        assert container not in found and found == [session.container]


def test_a_run_that_is_killed_is_swept_by_the_next(image: str) -> None:
    """The gateway ends with its driver; what stays is found by its label and age."""
    container = killed_driver("e2e-killed")
    deadline = time.monotonic() + 30
    while b"true" in docker("inspect", "-f", "{{.State.Running}}", container) and time.monotonic() < deadline:
        time.sleep(0.3)
    assert docker("inspect", "-f", "{{.State.Running}}", container).strip() == b"false"
    from aces_ci.sandboxes._docker.engine import Engine
    from aces_ci.sandboxes._docker.sweep import sweep

    engine = Engine()
    try:
        assert sweep(engine) == 0 or container.encode() in docker("ps", "-aq", "--no-trunc")
        assert sweep(engine, now=time.time() + 7 * 3600) >= 2
    finally:
        engine.close()
    assert docker("ps", "-aq", "--filter", f"label={RUN_LABEL}=e2e-killed") == b""
