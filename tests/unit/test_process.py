"""Running a program: its bytes, its bounds, and nothing left behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from aces_ci.shell.process import run


def test_bytes_go_in_and_come_out() -> None:
    data = bytes(range(256)) * 20_000
    program = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    done = run([sys.executable, "-c", program], stdin=data, cap=10**8)
    assert (done.exit_code, done.stdout, done.stderr) == (0, data, b"")


def test_exit_code_and_stderr_are_told() -> None:
    done = run(["sh", "-c", "echo no >&2; exit 3"])
    assert (done.exit_code, done.stdout, done.stderr) == (3, b"", b"no\n")


def test_a_program_that_is_not_there_is_missing_not_an_exception() -> None:
    done = run(["/nowhere/aces-no-such-program"])
    assert done.missing
    assert done.exit_code is None


def test_a_program_that_reads_nothing_does_not_hang_the_feeding() -> None:
    assert run(["true"], stdin=b"x" * 5_000_000, timeout=20).exit_code == 0


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_dead(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


@pytest.mark.parametrize(
    ("script", "timeout", "cap"),
    [
        ("sleep 300 & echo $! ; exec sleep 300", 0.5, 10_000),
        ("sleep 300 & echo $! ; exec yes", 20.0, 10_000),
        ("sleep 300 & echo $! ; exit 0", 20.0, 10_000),
    ],
    ids=["too slow", "too loud", "orphan"],
)
def test_the_whole_group_is_gone_afterwards(script: str, timeout: float, cap: int) -> None:
    began = time.monotonic()
    done = run(["sh", "-c", script], timeout=timeout, cap=cap)
    assert time.monotonic() - began < 10
    assert wait_until_dead(int(done.stdout.split()[0]))


def test_time_and_output_limits_are_told_apart() -> None:
    slow = run(["sleep", "60"], timeout=0.2)
    loud = run(["yes"], cap=1000)
    assert (slow.timed_out, slow.truncated, slow.exit_code) == (True, False, None)
    assert (loud.timed_out, loud.truncated, loud.exit_code) == (False, True, None)
    assert len(loud.stdout) == 1000


def test_a_program_that_closes_its_streams_and_lives_on_is_timed_out() -> None:
    done = run(["sh", "-c", "exec >&- 2>&-; sleep 60"], timeout=0.3)
    assert done.timed_out


def test_the_environment_and_folder_of_the_caller_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACES_CANARY", "leaked")
    done = run(["sh", "-c", "env; pwd"])
    assert b"leaked" not in done.stdout
    assert done.stdout.endswith(b"\n/\n")
    assert os.environ["ACES_CANARY"] == "leaked"
