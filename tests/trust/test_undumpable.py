"""Where we are not root, a reader has our own user; it still reads nothing out of us."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

PAIR = """
import ctypes, os, sys
from aces_ci.shell.undumpable import undumpable
SET_DUMPABLE = 4
if os.getuid() == 0:
    os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
# Giving up root took it away; a process that was started by its user has it.
ctypes.CDLL(None).prctl(SET_DUMPABLE, 1, 0, 0, 0)
ready, parent = os.pipe(), os.getpid()
child = os.fork()
if child == 0:
    os.read(ready[0], 1)
    try:
        print(b"canary" in open(f"/proc/{parent}/environ", "rb").read())
    except PermissionError:
        print("refused")
    sys.stdout.flush()
    os._exit(0)
KEEP
os.write(ready[1], b"x")
os.waitpid(child, 0)
"""


@pytest.mark.parametrize(("keep", "said"), [("undumpable()", "refused"), ("pass", "True")], ids=["kept", "sabotaged"])
def test_a_child_of_the_same_user_reads_the_environment_only_where_it_is_not_kept(keep: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PAIR.replace("KEEP", keep)],
        capture_output=True, check=True, timeout=60, text=True, env={**os.environ, "SECRET_KEY": "canary"},
    )  # fmt: skip
    assert done.stdout.strip() == said


ASKING = "import ctypes\ndef dumpable(): return ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)\n"
STARTS = {
    "the process that starts a zygote": (
        "from aces_ci.shell.zygote import Zygote\n"
        "with Zygote() as zygote:\n"
        "    zygote.warm_up()\n"
        "    print(dumpable())\n"
    ),
    "the zygote, before it meets anything": (
        "from aces_ci import untrusted\nuntrusted.warm_up = lambda: print(dumpable())\nuntrusted.main()\n"
    ),
}


@pytest.mark.parametrize("script", STARTS.values(), ids=list(STARTS))
def test_who_is_kept_from_readers(script: str) -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        done = subprocess.run(
            [sys.executable, "-c", ASKING + script],
            capture_output=True, check=True, timeout=60, text=True, stdin=theirs,
        )  # fmt: skip
    assert done.stdout.strip() == "0"
