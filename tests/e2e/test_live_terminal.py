"""`aces-ci live` on a real pseudo-terminal: the question, the frame, Ctrl-C, and the line that goes on."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.test_live_command import SET, model, repo  # noqa: F401 - fixtures

pytestmark = pytest.mark.e2e

_DRAWN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """A program on a terminal of its own, 100 columns wide."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "COLUMNS", "LINES")}
        env |= {"TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        # Its controlling terminal, so that a key can interrupt it.
        words = ["setsid", "--ctty", "--wait", *command]
        self.process = subprocess.Popen(words, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.file = ours
        self.raw = b""

    @property
    def text(self) -> str:
        """All that was written, without the movements of the cursor."""
        return _DRAWN.sub("", self.raw.decode("utf-8", "replace"))

    def read(self, until: Callable[[str], bool], seconds: float = 60.0) -> None:
        """Read until the text is as wanted, or the program has ended."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                more = os.read(self.file, 65536)
            except OSError:
                return
            if not more:
                return
            self.raw += more
            if until(self.text):
                return
        raise AssertionError(f"it never came: {self.text[-2000:]}")

    def type(self, keys: bytes) -> None:
        os.write(self.file, keys)

    def end(self) -> int:
        self.read(lambda text: False)
        os.close(self.file)
        return self.process.wait(30)


def live(repo: Path, url: str, *words: str) -> Terminal:  # noqa: F811
    command = [sys.executable, "-m", "aces_ci", "live", "skills/tide-tally", "--provider-url", url]
    return Terminal([*command, "--output", "out", "--attempts", "3", "--base", "HEAD", *SET, *words], repo)


def test_the_frame_is_drawn_over_and_over_and_ctrl_c_keeps_all(repo: Path, model: str) -> None:  # noqa: F811
    screen = live(repo, model)
    screen.read(lambda text: "Start? [Y/n]" in text)
    assert "2 cases × 3 runs × 2 arms" in screen.text and "reuse 0 · new 12" in screen.text
    screen.type(b"y\n")
    screen.read(lambda text: "▣" in text and re.search(r"[1-9]\d? of 12 done", text) is not None)
    screen.type(b"\x03")
    assert screen.end() == 130
    drawn = screen.text
    assert "no lift before it" in drawn and "Ctrl-C keeps all" in drawn and "against no skill +" not in drawn
    assert screen.raw.count(b"\x1b[2K") > 6, "lines are wiped and drawn again"
    assert "· run 1 ·" not in drawn, "no line a change beside a frame"

    told = next(line for line in drawn.splitlines() if "resume: " in line)
    words = shlex.split(told.split("resume: aces-ci ", 1)[1])
    assert words[0] == "live" and words[-1] == "--resume"
    again = Terminal([sys.executable, "-m", "aces_ci", *words, "--yes"], repo)
    assert again.end() == 0, again.text
    assert re.search(r"reuse [1-9]\d? · new \d", again.text), again.text
    last = again.text[again.text.rindex("tide-0 ") :]
    assert "this, so far" in again.text
    assert "no skill ■■■" in last and "this ■■■" in last and " 100" in last.splitlines()[0]
    assert "12 of 12" not in last and "improved: tide-tally   +100 [" in last
    evidence = (repo / "out/evidence.jsonl").read_text()
    assert evidence.count('"kind": "trial"') == 12
