"""What an agent may do to its own folders where nothing isolates it: the run goes on, the next trial is as ever."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.agent_images import images_for
from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import MIB, End, ImageRequest, Job, Limits, Program, Ran
from aces_ci.sandboxes.process import SANDBOX, ProcessSession
from aces_ci.settings.load import load

LIMITS = Limits(seconds=20, log_bytes=MIB, log_kept_bytes=4096)
SECRET = "of-the-host-and-nobody-elses"
STAGED = (StagedFile(path="task.txt", data=b"task"),)
DAMAGE = {
    "the workspace is a link to the host": "os.remove('task.txt'); os.rmdir(here); os.symlink(host, here)",
    "home is a link to the host": "shutil.rmtree(home); os.symlink(host, home)",
    "the workspace is a file": "os.remove('task.txt'); os.rmdir(here); open(here, 'w').close()",
    "the workspace is gone": "shutil.rmtree(here)",
    "a link inside": "os.symlink(host + '/secret', 'link'); os.symlink(host, 'folder')",
    "a pipe inside": "os.mkfifo('pipe')",
    "deeper than any stack": "for _ in range(1200): os.mkdir('d'); os.chdir('d')",
    "deeper than any path": "for _ in range(3000): os.mkdir('dddd'); os.chdir('dddd')",
    "names that are none": "for n in range(300): open(f'a\\nb{n}', 'w').close()",
    "files of others beside it": "for n in os.listdir('..'): n in ('stdout', 'stderr') and os.remove('../' + n)",
    "output that is a link": "for n in ('stdout', 'stderr'): os.path.lexists('../' + n) and os.remove('../' + n); "
    "os.path.lexists('../' + n) or os.symlink(host + '/secret', '../' + n)",
    "its slot's folder is gone": "os.chdir('/'); shutil.rmtree(os.path.dirname(here))",
    "its slot's folder is a link to the host": "up = os.path.dirname(here); os.rename(up, up + 'x'); "
    "os.mkdir(host + '/home'); os.link(host + '/secret', host + '/home/secret'); os.symlink(host, up)",
    "nobody may read it": "open('closed', 'w').close(); os.chmod('closed', 0); os.mkdir('shut'); os.chmod('shut', 0)",
}


@pytest.fixture
def session() -> Iterator[ProcessSession]:
    with SANDBOX.open(run="t", slots=1, program=Program(image="", command=("cat",)), limits=LIMITS) as found:
        yield found


def run(session: ProcessSession, script: str) -> Ran:
    head = "import os, shutil, sys\nhere, home = os.getcwd(), os.environ['HOME']\n"
    command = (sys.executable, "-c", head + script)
    job = Job(
        slot=0, image="", command=command, environment={}, workspace=STAGED, keep_home=("secret", ""), limits=LIMITS
    )
    return session.run(job, threading.Event())


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_to_its_own_folders_is_its_own_and_shows_nothing_of_the_host(
    session: ProcessSession, damage: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(SECRET)
    ran = run(session, f"host = {str(tmp_path)!r}\n{damage}")
    assert ran.end is End.EXITED
    collected = [*(file.data for file in (*ran.workspace, *ran.home)), ran.stdout.data, ran.stderr.data]
    assert SECRET.encode() not in b"".join(collected)
    assert len(ran.notes) <= 51
    assert (tmp_path / "secret").read_text() == SECRET
    after = run(session, "print(sorted(os.listdir('.')), open('task.txt').read())")
    assert (after.end, after.exit_code, after.stdout.data) == (End.EXITED, 0, b"['task.txt'] task\n")
    assert [file.path for file in after.workspace] == ["task.txt"]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_on_either_stream_is_ended(session: ProcessSession, stream: str) -> None:
    assert run(session, f"while True: sys.{stream}.write('y' * 65536)").end is End.LOG_FLOOD


@pytest.mark.parametrize(
    ("command", "absent"),
    [(("no-such-agent", "--print"), "no-such-agent"), (("python3", "-I", "/opt/aces/none.py"), "/opt/aces/none.py")],
)
def test_a_program_that_is_not_on_this_machine_is_told_before_anything_starts(
    command: tuple[str, ...], absent: str
) -> None:
    with pytest.raises(UsageError, match=f"`{absent}` is not on this machine"):
        SANDBOX.image(ImageRequest(recipe="x", command=command))


def test_a_program_on_path_needs_no_image() -> None:
    assert SANDBOX.image(ImageRequest(recipe="x", command=("python3", "-c", "pass"))) == "process:x"


@pytest.mark.parametrize("order", [("python3", "no-such-agent"), ("no-such-agent", "python3")])
def test_of_two_agents_that_are_started_by_a_command_both_programs_have_to_be_here(order: tuple[str, str]) -> None:
    agents = ", ".join(f"{{name: command, model: m{at}, command: [{word}]}}" for at, word in enumerate(order))
    settings = load(overrides=[f"live.harnesses=[{agents}]"]).settings
    with pytest.raises(UsageError, match="`no-such-agent` is not on this machine"):
        images_for(settings, compose.harnesses(), SANDBOX)
