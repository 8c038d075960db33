"""One suite for every sandbox: the fake, processes, and (with Docker) containers."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import AT_ONCE, MIB, End, ImageRequest, Job, Limits, Program, Ran, Sandbox, Session
from aces_ci.sandboxes.docker import SANDBOX as DOCKER
from aces_ci.sandboxes.process import SANDBOX as PROCESS
from tests.fakes.sandbox import FakeSandbox, World

SMALL = Limits(seconds=20, memory_bytes=256 * MIB, log_bytes=MIB, log_kept_bytes=4096)
ECHO = Program(
    image="aces-ci-base:bookworm", command=("python3", "-u", "-c", "import sys\nfor x in sys.stdin: print(x, end='')")
)

Open = Callable[[], "Iterator[tuple[Session, str]]"]


def _script(world: World) -> int:
    """What `python3 -c SCRIPT` of a test would do, for the fake: scripts are its own small language."""
    name, *arguments = world.job.command[-1].split("|")
    if name == "write":
        world.workspace[arguments[0]] = arguments[1].encode()
        world.home[".log/" + arguments[0]] = b"log"
        world.home["other"] = b"not asked for"
    elif name == "cat":
        world.out += world.job.stdin
    elif name == "list":
        world.out += repr(sorted(world.workspace)).encode() + b"\n"
    elif name == "exit":
        world.err += b"sorry\n"
        return int(arguments[0])
    elif name == "sleep":
        world.out += b"so far\n"
        world.stop.wait(30)
    elif name == "flood":
        world.out += b"y" * (2 * MIB)
    elif name == "knock":
        world.out += b"open\n" if world.job.network else b"closed\n"
    return 0


SCRIPTS = {
    "write": "import os; open('{0}', 'w').write('{1}'); os.makedirs(os.environ['HOME'] + '/.log', exist_ok=True); "
    "open(os.environ['HOME'] + '/.log/{0}', 'w').write('log'); open(os.environ['HOME'] + '/other', 'w').close()",
    "cat": "import sys; sys.stdout.write(sys.stdin.read())",
    "list": "import os; print(sorted(os.listdir('.')))",
    "exit": "import sys; sys.stderr.write('sorry\\n'); sys.exit({0})",
    "sleep": "import time, subprocess; subprocess.Popen(['sleep', '99'])\nprint('so far', flush=True); time.sleep(99)",
    "knock": "import socket\ntry: socket.create_connection(('127.0.0.1', {0}), 5); print('open')\n"
    "except ConnectionRefusedError: print('closed')",
    "flood": "import sys\nwhile True: sys.stdout.write('y' * 65536)",
}


class Rig:
    """A session, and how a test's command is spelled in it."""

    def __init__(self, session: Session, image: str, real: bool) -> None:
        self.session, self.image, self.real = session, image, real

    def run(self, name: str, *arguments: str, stop: threading.Event | None = None, **fields: object) -> Ran:
        script = SCRIPTS[name].format(*arguments) if self.real else "|".join((name, *arguments))
        interpreter = sys.executable if self.image.startswith("process") else "python3"
        turn = fields.pop("turn", AT_ONCE)
        options: dict[str, object] = {"limits": SMALL, "keep_home": (".log/",), **fields}
        job = Job(slot=0, image=self.image, command=(interpreter, "-c", script), environment={}, **options)  # type: ignore[arg-type]
        assert self.session.base_url(0).startswith("http://127.0.0.1:")
        return self.session.run(job, stop or threading.Event(), turn)  # type: ignore[arg-type]


@contextmanager
def _fake() -> Iterator[Rig]:
    with FakeSandbox(_script).open(run="r", slots=1, program=ECHO, limits=SMALL) as session:
        yield Rig(session, "fake", real=False)


@contextmanager
def _process() -> Iterator[Rig]:
    with PROCESS.open(run="r", slots=1, program=ECHO, limits=SMALL) as session:
        yield Rig(session, "process:x", real=True)


@contextmanager
def _docker() -> Iterator[Rig]:
    from aces_ci.sandboxes.docker import SANDBOX
    from tests.e2e import live_rig

    image = live_rig.images(("builtin",), Path("/nonexistent"))["builtin"]
    with SANDBOX.open(run="contract", slots=1, program=ECHO, limits=SMALL) as session:
        yield Rig(session, image, real=True)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(_fake, id="fake"),
        pytest.param(_process, id="process"),
        pytest.param(_docker, id="docker", marks=pytest.mark.e2e),
    ],
)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with request.param() as opened:
        yield opened


def test_files_go_in_and_come_out(rig: Rig) -> None:
    ran = rig.run("write", "new.txt", "made", workspace=(StagedFile(path="in/a.txt", data=b"given"),))
    assert (ran.end, ran.exit_code, ran.because) == (End.EXITED, 0, "")
    assert {file.path: file.data for file in ran.workspace} == {"in/a.txt": b"given", "new.txt": b"made"}


def test_of_home_only_what_is_asked_for_comes_back(rig: Rig) -> None:
    assert [file.path for file in rig.run("write", "a", "b").home] == [".log/a"]


def test_the_next_trial_finds_nothing_of_the_last(rig: Rig) -> None:
    rig.run("write", "left.txt", "x")
    assert rig.run("list").stdout.data == b"[]\n"


def test_standard_input_reaches_the_agent(rig: Rig) -> None:
    assert rig.run("cat", stdin=b"the task").stdout.data == b"the task"


def test_an_exit_code_is_handed_on_and_is_no_end_of_its_own(rig: Rig) -> None:
    ran = rig.run("exit", "3")
    assert (ran.end, ran.exit_code, ran.stderr.data) == (End.EXITED, 3, b"sorry\n")


def test_a_deadline_ends_the_agent_and_keeps_what_it_said(rig: Rig) -> None:
    begun = time.monotonic()
    ran = rig.run("sleep", limits=Limits(seconds=3 if rig.real else 0.5))
    assert (ran.end, ran.stdout.data) == (End.TIMED_OUT, b"so far\n")
    assert "longer than" in ran.because and time.monotonic() - begun < 20


def test_a_stop_ends_the_agent(rig: Rig) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    assert rig.run("sleep", stop=stop).end is End.CANCELLED


def test_a_flood_of_output_is_ended(rig: Rig) -> None:
    ran = rig.run("flood")
    assert ran.end is End.LOG_FLOOD and "output" in ran.because


def test_the_gateways_lines_go_both_ways(rig: Rig) -> None:
    if not rig.real:
        return
    rig.session.gateway.send('{"x": 1}')
    deadline = time.monotonic() + 20
    line = None
    while line is None and time.monotonic() < deadline:
        line = rig.session.gateway.receive(1.0)
    assert line == '{"x": 1}'


def test_a_way_to_hosts_is_there_for_the_jobs_that_are_given_one(rig: Rig) -> None:
    for network, answer in ((True, b"open\n"), (False, b"closed\n")):
        host, _, port = rig.session.proxy(0).partition(":")
        assert host == "127.0.0.1"
        assert rig.run("knock", port, network=network).stdout.data == answer
    paths = [path for item in rig.session.listeners for path in (item.path, item.tunnel_path)]
    assert None not in paths and len(set(paths)) == 2 * len(rig.session.listeners)


class Noted:
    """A turn that answers as it is told and remembers what was asked of it."""

    def __init__(self, answer: bool) -> None:
        self.answer, self.asked, self.ended = answer, 0, 0

    def wait(self) -> bool:
        self.asked += 1
        time.sleep(0.2)
        return self.answer

    def over(self) -> None:
        self.ended += 1


def test_the_agent_starts_when_its_turn_comes_and_gives_it_back(rig: Rig) -> None:
    turn = Noted(answer=True)
    ran = rig.run("exit", "0", turn=turn)
    assert (ran.end, turn.asked, turn.ended) == (End.EXITED, 1, 1)
    assert rig.run("sleep", turn=(late := Noted(answer=True)), limits=Limits(seconds=0.5)).end is End.TIMED_OUT
    assert late.ended == 1


def test_nothing_starts_without_its_turn_and_nothing_of_it_stays(rig: Rig) -> None:
    turn = Noted(answer=False)
    ran = rig.run("write", "left.txt", "x", turn=turn)
    assert (ran.end, ran.workspace, turn.asked, turn.ended) == (End.CANCELLED, (), 1, 0)
    assert rig.run("list").stdout.data == b"[]\n"


def test_jobs_that_ask_for_no_address_follow_each_other_at_once(rig: Rig) -> None:
    """Graders need none; the last one's relay may still be there."""
    interpreter = sys.executable if rig.image.startswith("process") else "python3"
    script = SCRIPTS["exit"].format(0) if rig.real else "exit|0"
    for _ in range(3):
        job = Job(slot=0, image=rig.image, command=(interpreter, "-c", script), environment={}, limits=SMALL)
        ran = rig.session.run(job, threading.Event())
        assert (ran.exit_code, ran.stderr.data) == (0, b"sorry\n")


def test_every_slot_has_a_listener_of_its_own(rig: Rig) -> None:
    assert [listener.slot for listener in rig.session.listeners] == ["s0"]


@pytest.mark.parametrize("sandbox", [FakeSandbox(_script), PROCESS, DOCKER], ids=lambda item: item.name)
def test_an_image_is_named_without_a_daemon_and_by_what_it_is_built_on(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
    asked = ImageRequest(recipe="builtin", command=("python3",), base="a/base:1")
    wanted = sandbox.wanted(asked)
    if sandbox.name == "process":
        assert wanted is None and sandbox.image(asked).startswith("process:")
        return
    assert wanted is not None and wanted.bases == ("a/base:1",)
    assert "builtin" in wanted.name and wanted == sandbox.wanted(asked)
