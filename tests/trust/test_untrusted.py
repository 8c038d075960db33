"""The process that reads a change can do nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import DeliveryError
from aces_ci.core.evidence import Structure
from aces_ci.core.request import Request
from aces_ci.core.skill import FileKind, SkillFile, Snapshot
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote

PROBE = """
import json, mmap, os, resource, socket, sys
tried = {}
def attempt(name, act):
    try:
        act()
        tried[name] = "done"
    except BaseException as error:
        tried[name] = type(error).__name__
GIVE_UP
attempt("open a file", lambda: open("/etc/hostname").read())
attempt("write a file", lambda: open(sys.argv[1], "w").write("x"))
attempt("read the parent's environment", lambda: open(f"/proc/{os.getppid()}/environ").read())
attempt("open a socket", lambda: socket.socket(socket.AF_INET))
attempt("open a unix socket", lambda: socket.socket(socket.AF_UNIX))
attempt("duplicate a descriptor", lambda: os.dup(0))
os.close(2)
attempt("open a file in the place of a closed one", lambda: os.open("/etc/hostname", os.O_RDONLY))
attempt("open a socket in the place of a closed file", lambda: socket.socket(socket.AF_INET))
attempt("start a process", lambda: os.fork() or os._exit(0))
attempt("raise the limit", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
attempt("become root again", lambda: os.setuid(0))
attempt("ten gigabytes", lambda: mmap.mmap(-1, 10 * 1024**3))
print(json.dumps(tried))
"""
GIVE_UP = "from aces_ci.untrusted import give_up_rights; give_up_rights()"


def probe(tmp_path: Path, give_up: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.replace("GIVE_UP", give_up), str(tmp_path / "canary")],
        capture_output=True, check=True, timeout=60, env={**os.environ, "SECRET_KEY": "canary-in-the-parent"},
    )  # fmt: skip
    tried: dict[str, Any] = json.loads(done.stdout)
    return tried


def test_after_giving_up_its_rights_every_attempt_fails(tmp_path: Path) -> None:
    tried = probe(tmp_path, GIVE_UP)
    root = os.getuid() == 0
    assert {name for name, result in tried.items() if result == "done"} <= (set() if root else {"become root again"})
    assert not (tmp_path / "canary").exists()


def test_the_same_attempts_succeed_before_so_the_probe_bites(tmp_path: Path) -> None:
    tried = probe(tmp_path, "pass")
    for name in ("open a file", "write a file", "open a socket", "open a unix socket", "start a process"):
        assert tried[name] == "done", name
    assert (tmp_path / "canary").read_text("utf-8") == "x"


def snapshot(text: bytes) -> Snapshot:
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(text), data=text)
    return Snapshot(root="skills/a", files={"SKILL.md": file})


def test_the_reader_answers_requests_one_after_the_other() -> None:
    good = b"---\nname: a\ndescription: Counts rows. Use when asked.\n---\n# a\n"
    with Zygote() as zygote, Reader(zygote) as reader:
        for text, conformant in ((good, True), (b"no frontmatter", False), (good, True)):
            rows = list(reader.ask(Request(after=snapshot(text), added=True)))
            (structure,) = [row for row in rows if isinstance(row, Structure)]
            assert structure.conformant is conformant


def test_a_reader_that_dies_is_one_clear_error() -> None:
    with (
        pytest.raises(DeliveryError, match="stopped before it was done") as caught,
        Zygote() as zygote,
        Reader(zygote) as reader,
    ):
        list(reader._lines("{", 10))
    assert caught.value.exit_code == 4
    assert "JSONDecodeError" in (caught.value.at or "")


def test_the_readers_environment_holds_nothing_of_the_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-key-1234567890")
    with Zygote() as zygote, Reader(zygote) as reader:
        # Once it has answered it is certainly the program, and not the fork that is about to become it.
        list(reader.ask(Request(after=snapshot(b"x"), added=True)))
        environ = Path(f"/proc/{reader.pid}/environ").read_bytes()
        assert b"canary" not in environ
        assert b"PATH=" in environ, "the positive control: this is where it would be"
