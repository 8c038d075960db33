"""Whatever an agent starts without isolation ends with its trial, however it tries to stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from aces_ci.ports.sandbox import End, Job, Limits, Program, Ran
from aces_ci.sandboxes.process import SANDBOX, ProcessSession

LIMITS = Limits(seconds=20)
HEAD = """
import os, signal, subprocess, sys, time
def stay(): print(os.getpid(), flush=True); time.sleep(300)
def fork(do):
    if os.fork() == 0: do(); os._exit(0)
def daemon(): os.setsid(); fork(stay)
def stubborn():
    os.setsid()
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
    stay()
def bare(): os.execve(sys.executable, [sys.executable, "-c", "import os, time; os.setsid(); "
    "print(os.getpid(), flush=True); time.sleep(300)"], {})
def brood():
    os.setsid()
    for _ in range(20): fork(daemon)
def said(count):
    while len(os.pread(1, 4096, 0).split()) < count: time.sleep(0.02)
"""
LEAVES = {
    "a session of its own": "fork(stubborn)",
    "a daemon": "fork(daemon)",
    "nothing in its environment": "fork(bare)",
    "many daemons of a process that is gone": "fork(brood)",
    "in its group": "fork(stay)",
}
linux = pytest.mark.skipif(sys.platform != "linux", reason="only there can orphans be adopted")


@pytest.fixture
def session() -> Iterator[ProcessSession]:
    with SANDBOX.open(run="t", slots=2, program=Program(image="", command=("cat",)), limits=LIMITS) as found:
        yield found


def run(session: ProcessSession, script: str, limits: Limits = LIMITS, slot: int = 0) -> Ran:
    command = (sys.executable, "-c", HEAD + script)
    return session.run(Job(slot=slot, image="", command=command, environment={}, limits=limits), threading.Event())


def left(pids: bytes) -> list[str]:
    """Those that are still there, as more than a zombie that nobody has looked at yet."""
    found = []
    for pid in pids.decode().split():
        with suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
    return found


def gone(pids: bytes, seconds: float = 10) -> bool:
    """Whether none is left, soon: where nobody has waited for them."""
    until = time.monotonic() + seconds
    while left(pids) and time.monotonic() < until:
        time.sleep(0.05)
    return not left(pids)


def of_home(start: str) -> bytes:
    """Processes whose home is there."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"HOME={start}".encode() in (place / "environ").read_bytes():
                found.append(place.name)
    return " ".join(found).encode()


@linux
@pytest.mark.parametrize("leave", LEAVES.values(), ids=LEAVES)
def test_what_an_agent_leaves_behind_ends_with_its_trial(session: ProcessSession, leave: str) -> None:
    count = 20 if "brood" in leave else 1
    ran = run(session, f"{leave}\nsaid({count}); sys.exit(3)")
    assert (ran.end, ran.exit_code) == (End.EXITED, 3)
    assert len(ran.stdout.data.split()) == count and left(ran.stdout.data) == []


@linux
def test_so_it_does_where_the_agent_is_ended_by_the_clock(session: ProcessSession) -> None:
    ran = run(session, "fork(daemon)\nfork(stay)\ntime.sleep(300)", Limits(seconds=4))
    assert (ran.end, ran.exit_code) == (End.TIMED_OUT, -signal.SIGKILL)
    assert len(ran.stdout.data.split()) == 2 and left(ran.stdout.data) == []


@linux
def test_what_another_trial_started_goes_on(session: ProcessSession, tmp_path: Path) -> None:
    other: list[Ran] = []
    flag = f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.02)"
    long = threading.Thread(target=lambda: other.append(run(session, f"fork(daemon)\n{flag}", slot=1)))
    long.start()
    first = run(session, "fork(daemon)\nsaid(1)\ntime.sleep(1)")
    assert left(first.stdout.data) == []
    assert len(of_home(session.home(1)).split()) >= 3, "the other agent with its keeper and its daemon"
    (tmp_path / "go").touch()
    long.join()
    assert other[0].end is End.EXITED and left(other[0].stdout.data) == []


def test_a_signal_that_an_agent_sends_to_its_whole_group_is_its_own_end(session: ProcessSession) -> None:
    ran = run(session, "os.kill(0, signal.SIGTERM)\ntime.sleep(300)")
    assert (ran.end, ran.exit_code) == (End.EXITED, -signal.SIGTERM)


@linux
def test_an_agent_that_kills_its_keeper_ends_with_its_group(session: ProcessSession) -> None:
    ran = run(session, "fork(stay)\nsaid(1)\nprint(os.getpid(), flush=True)\nos.kill(os.getppid(), 9)\nstay()")
    assert (ran.end, ran.exit_code) == (End.EXITED, -signal.SIGKILL)
    assert len(ran.stdout.data.split()) >= 2 and gone(ran.stdout.data)


@linux
def test_a_driver_that_is_killed_leaves_no_agent(tmp_path: Path) -> None:
    script = """
        import sys, threading
        from tests.unit.test_process_leftovers import LIMITS, Program, SANDBOX, run
        with SANDBOX.open(run="t", slots=1, program=Program(image="", command=("cat",)), limits=LIMITS) as session:
            run(session, "fork(daemon)\\ntime.sleep(300)")
    """
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    driver = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], env=environment)
    until = time.monotonic() + 60
    # The keeper, the relay, the agent and its daemon, which was forked twice.
    while len((pids := of_home(f"{tmp_path}/")).split()) < 4 and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(0.5)
    assert len(pids.split()) >= 4 and not gone(pids, 0)
    driver.kill()
    driver.wait()
    assert gone(pids)
