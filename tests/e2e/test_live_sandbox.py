"""The Docker sandbox from inside and out: what it refuses, what it bounds, how each end is named."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import MIB, End, ImageRequest, Job, Limits, Program, Ran
from aces_ci.sandboxes._docker import trial as trial_module
from aces_ci.sandboxes._docker.engine import Engine, Refused
from aces_ci.sandboxes._docker.spec import CREATED_LABEL, RUN_LABEL, VolumeSpec
from aces_ci.sandboxes._docker.sweep import sweep
from aces_ci.sandboxes.docker import SANDBOX, DockerSession
from tests.e2e import live_rig as rig

pytestmark = pytest.mark.e2e

_ECHO = """
import glob, os, socket, sys
os.umask(0o117)
held = [socket.socket(socket.AF_UNIX) for _ in glob.glob("/slots/*")]
for one, folder in zip(held, sorted(glob.glob("/slots/*"))):
    one.bind(folder + "/gw.sock")
print("ready", flush=True)
for line in sys.stdin: print(line, end="", flush=True)
"""
ECHO = Program(image=rig.BASE, command=("python3", "-u", "-c", _ECHO))
"""A stand-in for the gateway: it holds the sockets open and answers nobody."""
TIGHT = Limits(
    seconds=60,
    memory_bytes=256 * MIB,
    processes=64,
    workspace_bytes=32 * MIB,
    workspace_inodes=500,
    home_bytes=16 * MIB,
    home_inodes=500,
    scratch_bytes=16 * MIB,
    file_bytes=64 * MIB,
    log_bytes=8 * MIB,
    log_kept_bytes=64 * 1024,
    collect_bytes=24 * MIB,
    collect_file_bytes=8 * MIB,
    collect_entries=400,
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    return rig.images(("builtin",), tmp_path_factory.mktemp("fetch"))["builtin"]


@pytest.fixture(scope="module")
def session(image: str) -> Iterator[DockerSession]:
    with SANDBOX.open(run="e2e-sandbox", slots=2, program=ECHO, limits=TIGHT) as opened:
        assert opened.gateway.receive(30) == "ready"
        yield opened


def run(session: DockerSession, image: str, script: str, *, limits: Limits = TIGHT, **fields: object) -> Ran:
    job = Job(
        slot=0,
        image=image,
        command=("python3", "-c", script),
        environment={},
        limits=limits,
        **fields,  # type: ignore[arg-type]
    )
    return session.run(job, threading.Event())


def healthy(session: DockerSession, image: str) -> None:
    """The next trial knows nothing of the last one."""
    ran = run(session, image, "import os; print(sorted(os.listdir('.')), sorted(os.listdir('/tmp')))")
    assert (ran.end, ran.exit_code, ran.stdout.data, ran.notes) == (End.EXITED, 0, b"[] []\n", ())


def test_every_way_out_is_closed_with_its_errno(session: DockerSession, image: str) -> None:
    probe = Path(__file__).with_name("live_probe.py").read_bytes()
    job = Job(
        slot=0,
        image=image,
        command=("python3", "-I", "/home/agent/probe.py"),
        environment={"A": "b"},
        home=(StagedFile(path="probe.py", data=probe),),
        limits=TIGHT,
    )
    ran = session.run(job, threading.Event())
    assert ran.exit_code == 0, ran.stderr.data
    found = json.loads(ran.stdout.data)
    denied = {
        "AF_VSOCK", "AF_ALG", "AF_CAN", "AF_RDS", "AF_PACKET", "AF_TIPC", "AF_XDP", "AF_NETLINK kobject", "raw",
        "io_uring_setup", "unshare user", "unshare net", "keyctl", "add_key", "bpf", "perf_event_open", "userfaultfd",
        "mount", "modify_ldt", "ptrace", "process_vm_readv", "setuid",
    }  # fmt: skip
    assert {name: found[name] for name in denied} == dict.fromkeys(denied, "EPERM")
    assert {name: found[name] for name in found if name.startswith("tcp")} == {
        f"tcp {host}": "ENETUNREACH" for host in ("1.1.1.1", "172.17.0.1", "169.254.169.254", "10.0.0.1")
    }
    unreachable = {name: found[name] for name in found if name.startswith("udp")}
    assert len(unreachable) == 3 and set(unreachable.values()) <= {"ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"}
    assert found["abstract socket"] == "ECONNREFUSED"
    kernel = {name: found[name] for name in found if name.startswith(("read /proc", "read /dev", "open /"))}
    assert len(kernel) == 9 and not set(kernel.values()) & {"readable", "writable"}, kernel
    assert found["x32"] == "signal 31", "SIGSYS"
    read_only = ("unlink the socket", "write beside the socket", "chmod the socket", "write the root", "write /opt")
    assert {name: found[name] for name in read_only} == dict.fromkeys(read_only, "EROFS")
    assert found["dns"] == "failed"
    assert found["sparse file"] == "EFBIG"
    assert found["raise the file limit"] != "allowed"
    assert found["interfaces"] == ["lo"]
    assert found["docker sockets"] == [] == found["setuid files"]
    assert found["uid"] == 1000 and found["hostname"] == "sandbox"
    assert set(found["capabilities"]) == {"0000000000000000"} and found["no new privileges"] is True
    assert set(found["environment"]) <= {"A", "HOME", "PATH", "TMPDIR", "LANG", "USER", "HOSTNAME", "PWD", "LC_CTYPE"}


def test_out_of_memory_is_named(session: DockerSession, image: str) -> None:
    ran = run(session, image, "x = bytearray(1 << 30)")
    assert ran.end is End.OUT_OF_MEMORY and "memory" in ran.because
    healthy(session, image)


def test_a_full_disk_is_named_and_bounded(session: DockerSession, image: str) -> None:
    script = "f = open('fill', 'wb')\ntry:\n    while True: f.write(b'x' * 65536)\nexcept OSError as e: print(e.errno)"
    ran = run(session, image, script)
    assert ran.stdout.data == b"28\n"
    assert any("full" in note and "bytes" in note for note in ran.notes)
    assert any("left out" in note for note in ran.notes)
    healthy(session, image)


def test_running_out_of_inodes_is_named(session: DockerSession, image: str) -> None:
    script = "n = 0\ntry:\n    while True: open(f'f{n}', 'w').close(); n += 1\nexcept OSError as e: print(e.errno, n)"
    ran = run(session, image, script, limits=TIGHT)
    assert ran.stdout.data.startswith(b"28 49")
    assert any("collection stopped" in note for note in ran.notes) or any("files" in note for note in ran.notes)
    healthy(session, image)


def test_a_fork_bomb_is_held_and_named(session: DockerSession, image: str) -> None:
    script = (
        "import os, time\nn = 0\ntry:\n    while os.fork(): n += 1\n    time.sleep(6)\n"
        "except OSError as e: print(e.errno, flush=True); time.sleep(6)"
    )
    ran = run(session, image, script)
    assert b"11" in ran.stdout.data
    assert any("process limit" in note for note in ran.notes)
    healthy(session, image)


def test_a_log_flood_is_ended_with_head_and_tail(session: DockerSession, image: str) -> None:
    script = "import sys\nprint('the first line')\nwhile True: sys.stdout.write('y' * 4095 + '\\n')"
    begun = time.monotonic()
    ran = run(session, image, script)
    assert ran.end is End.LOG_FLOOD
    assert ran.stdout.data.startswith(b"the first line\n") and ran.stdout.dropped > 7 * MIB
    assert b"bytes left out]" in ran.stdout.data and len(ran.stdout.data) <= 70_000
    assert time.monotonic() - begun < 30
    healthy(session, image)


def test_sparse_files_cost_nothing_to_collect(session: DockerSession, image: str) -> None:
    script = "for n in range(300):\n    f = open(f's{n}', 'wb'); f.truncate(60 << 20); f.close()"
    begun = time.monotonic()
    ran = run(session, image, script)
    assert ran.end is End.EXITED and ran.exit_code == 0
    assert any("collection stopped" in note for note in ran.notes)
    assert time.monotonic() - begun < 15
    healthy(session, image)


def test_links_pipes_and_misleading_names_are_left_out(session: DockerSession, image: str) -> None:
    script = (
        "import os\nos.symlink('/etc/shadow', 'link')\nos.mkfifo('pipe')\nopen('good.txt', 'w').write('1')\n"
        "open('new\\nline', 'w').close()\nopen('bi\\u202edi', 'w').close()\nos.makedirs('.git/hooks')\n"
        "open('.git/config', 'w').close()\nopen('CASE', 'w').close(); open('case', 'w').close()\n"
        "open(b'\\xff\\xfe', 'w').close()\nd = '/'.join(['d'] * 60); os.makedirs(d); open(d + '/deep', 'w').close()"
    )
    ran = run(session, image, script)
    assert ran.exit_code == 0, ran.stderr.data
    assert {file.path for file in ran.workspace} <= {"good.txt", "CASE", "case"}
    assert any(file.path == "good.txt" and file.data == b"1" for file in ran.workspace)
    assert len(ran.notes) == 8, ran.notes


def test_an_agent_that_outlives_its_deadline_is_killed_with_its_children(session: DockerSession, image: str) -> None:
    script = (
        "import os, time, subprocess\nsubprocess.Popen(['setsid', 'sleep', '600'])\nprint('so far', flush=True)\n"
        "open('half.txt', 'w').write('half')\ntime.sleep(600)"
    )
    begun = time.monotonic()
    ran = run(session, image, script, limits=Limits(seconds=3, memory_bytes=256 * MIB))
    assert ran.end is End.TIMED_OUT and ran.stdout.data == b"so far\n"
    assert [file.path for file in ran.workspace] == ["half.txt"]
    assert time.monotonic() - begun < 20


def test_a_stopped_run_kills_its_agent(session: DockerSession, image: str) -> None:
    stop = threading.Event()
    threading.Timer(1.0, stop.set).start()
    job = Job(slot=0, image=image, command=("sleep", "600"), environment={}, limits=TIGHT)
    begun = time.monotonic()
    assert session.run(job, stop).end is End.CANCELLED
    assert time.monotonic() - begun < 15


def test_a_killed_relay_and_a_killed_agent_are_the_agents_own_doing(session: DockerSession, image: str) -> None:
    ran = run(session, image, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert (ran.end, ran.exit_code) == (End.EXITED, 137)
    ran = run(session, image, "import os, signal\nos.kill(-1, signal.SIGKILL)\nprint('alone')")
    assert ran.end is End.EXITED


def test_a_program_that_the_image_lacks_ends_by_name(session: DockerSession, image: str) -> None:
    job = Job(slot=0, image=image, command=("no-such-program",), environment={}, limits=TIGHT)
    ran = session.run(job, threading.Event())
    assert ran.end is End.EXITED and ran.exit_code == 1 and b"no-such-program" in ran.stderr.data


def test_an_image_that_is_gone_is_not_the_agents_fault(session: DockerSession) -> None:
    job = Job(slot=0, image="sha256:" + "0" * 64, command=("true",), environment={}, limits=TIGHT)
    ran = session.run(job, threading.Event())
    assert ran.end is End.NOT_STARTED and ran.because


def test_a_daemon_that_goes_away_is_lost_and_named(
    session: DockerSession, image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trial_module._stopped

    def gone(engine: Engine, container: str) -> object:
        engine._api.base_url = "http+docker://localhost"
        monkeypatch.setattr(engine._api, "get_adapter", _raise)
        try:
            return real(engine, container)
        finally:
            monkeypatch.undo()

    monkeypatch.setattr(trial_module, "_stopped", gone)
    ran = run(session, image, "print(1)")
    assert ran.end is End.LOST and "Docker daemon" in ran.because
    healthy(session, image)


def _raise(*_: object, **__: object) -> object:
    raise ConnectionError("gone")


def test_two_slots_do_not_see_each_other(session: DockerSession, image: str) -> None:
    results: dict[int, Ran] = {}

    def one(slot: int) -> None:
        script = (
            f"import os, time\nopen('mine{slot}', 'w'); time.sleep(1.5)\nprint(os.listdir('.'), os.listdir('/run/gw'))"
        )
        job = Job(slot=slot, image=image, command=("python3", "-c", script), environment={}, limits=TIGHT)
        results[slot] = session.run(job, threading.Event())

    threads = [threading.Thread(target=one, args=(slot,)) for slot in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {slot: ran.stdout.data for slot, ran in results.items()} == {
        0: b"['mine0'] ['gw.sock']\n",
        1: b"['mine1'] ['gw.sock']\n",
    }


def test_leaving_removes_everything_and_the_sweep_spares_the_living(image: str) -> None:
    engine = Engine()
    old, young = {RUN_LABEL: "dead", CREATED_LABEL: "1000"}, {RUN_LABEL: "alive", CREATED_LABEL: str(int(time.time()))}
    try:
        for name, labels in (("aces-e2e-old", old), ("aces-e2e-young", young)):
            engine.create_volume(VolumeSpec(name=name, size=65536, inodes=8, owner="1000:1000"), labels)
        with SANDBOX.open(run="e2e-short", slots=1, program=ECHO, limits=TIGHT) as opened:
            run(opened, image, "print(1)")
            assert all(engine.labelled(f"{RUN_LABEL}=e2e-short").values())
        assert not any(engine.labelled(f"{RUN_LABEL}=e2e-short").values())
        assert not any(engine.labelled(f"{RUN_LABEL}=dead").values())
        assert engine.labelled(f"{RUN_LABEL}=alive")["volumes"]
    finally:
        sweep(engine, run="alive")
        engine.close()


def test_it_works_from_a_container_that_has_only_the_socket(image: str) -> None:
    """As in a container action: no path of this checkout exists where the daemon looks."""
    script = (
        "import threading\nfrom aces_ci.sandboxes.docker import SANDBOX\n"
        "from aces_ci.ports.sandbox import Job, Limits, Program\n"
        "program = Program(image='" + rig.BASE + "', command=('sleep', '60'))\n"
        "with SANDBOX.open(run='e2e-inside', slots=1, program=program, limits=Limits()) as session:\n"
        "    job = Job(slot=0, image='"
        + image
        + "', command=('sh', '-c', 'echo hi > out.txt; cat'), environment={}, stdin=b'in')\n"
        "    ran = session.run(job, threading.Event())\n"
        "print(ran.end, ran.stdout.data, [(f.path, f.data) for f in ran.workspace])\n"
    )
    command = [
        "docker",
        "run",
        "--rm",
        "-i",
        "-v",
        "/var/run/docker.sock:/var/run/docker.sock",
        "-e",
        "PYTHONPATH=/opt/app:/opt/packages",
    ]
    done = subprocess.run([*command, rig.GATEWAY, "python3", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "exited b'in' [('out.txt', b'hi\\n')]\n", done.stderr


@pytest.mark.parametrize("name", ["an-action", None], ids=["a host name of the runner's", "its own"])
def test_in_a_container_of_ours_the_gateway_takes_that_container_s_own_image(image: str, name: str | None) -> None:
    """A forge builds an action under a name of its own, so none that we know is there."""
    script = (
        "from aces_ci.sandboxes.docker import SANDBOX\nfrom aces_ci.agent_images import program_of\n"
        "print(SANDBOX.gateway(program_of({})))\n"
    )
    where = ["-v", "/var/run/docker.sock:/var/run/docker.sock", "-e", "PYTHONPATH=/opt/app:/opt/packages"]
    host = ["--hostname", name] if name else []
    command = ["docker", "run", "--rm", *where, *host, rig.GATEWAY, "python3", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == docker.from_env().images.get(rig.GATEWAY).id, done.stderr


def test_at_a_terminal_the_gateway_is_ours_by_name_and_its_absence_says_what_to_do(image: str) -> None:
    client = docker.from_env()
    ours = Program(image="aces-ci-e2e:here", command=(), published="localhost:1/aces-ci:none")
    nowhere = "aces-ci-e2e:none"
    client.images.get(rig.BASE).tag(ours.image)
    try:
        assert SANDBOX.gateway(ours) == client.images.get(rig.BASE).id
    finally:
        client.images.remove(ours.image)
    with pytest.raises(UsageError, match="neither aces-ci-e2e:none nor localhost:1") as refused:
        SANDBOX.gateway(replace(ours, image=nowhere))
    assert "docker build -t aces-ci-e2e:none" in str(refused.value.do)
    with pytest.raises(UsageError, match="image aces-ci-e2e:none is not here"):
        SANDBOX.gateway(Program(image=nowhere, command=()))


def test_an_image_with_a_volume_is_refused(image: str) -> None:
    client = docker.from_env()
    try:
        container = client.containers.create(image, "true")
        client.api.commit(container.id, repository="aces-ci-e2e-volume", tag="x", changes=["VOLUME /data"])
        container.remove()
        tag = "aces-ci-e2e-volume:x"
        with pytest.raises(UsageError, match="declares a volume"):
            SANDBOX.image(ImageRequest(recipe="builtin", base=tag))
    finally:
        client.images.remove("aces-ci-e2e-volume:x", force=True)
        client.close()


def test_a_tampered_binary_stops_the_build() -> None:
    engine = Engine()
    try:
        from aces_ci.sandboxes._docker import images
        from aces_ci.sandboxes._docker.archive import pack

        files = tuple(
            StagedFile(
                path=file.path, data=file.data.replace(b"a", b"b", 1) if file.path == "SHA256SUMS" else file.data
            )
            for file in images.recipe("opencode")
        )
        with pytest.raises(Refused):
            list(
                engine.build(
                    pack(files, uid=0, gid=0),
                    tag="aces-ci-e2e-tampered",
                    arguments={"BASE": rig.BASE, "FETCH": rig.FETCH},
                    network="none",
                )
            )
    finally:
        engine.close()


def test_an_authors_environment_is_built_without_a_network(image: str) -> None:
    recipe = f"FROM {rig.BASE}\nRUN echo made > /opt/made && (! getent hosts example.com)\nENV LEAK=1\n".encode()
    request = ImageRequest(recipe="builtin", base=rig.BASE, environment=(StagedFile(path="Dockerfile", data=recipe),))
    own = SANDBOX.image(request)
    assert own != image and SANDBOX.image(request) == own
    with SANDBOX.open(run="e2e-env", slots=1, program=ECHO, limits=TIGHT) as opened:
        ran = run(
            opened, own, "import os; print(open('/opt/made').read().strip(), os.environ.get('LEAK'), os.getuid())"
        )
    assert ran.stdout.data == b"made None 1000\n"


def test_an_authors_programs_run_in_no_build_with_a_network(image: str) -> None:
    """The steps behind the author's layers run what the author put there: the shell, `find`, and all else."""
    spy = b'#!/bin/sh\nls /sys/class/net >> /opt/nets\nexec /usr/bin/find.real "$@"\n'
    recipe = f"FROM {rig.BASE}\nRUN mv /usr/bin/find /usr/bin/find.real\nCOPY find /usr/bin/find\n".encode()
    files = (StagedFile(path="Dockerfile", data=recipe), StagedFile(path="find", data=spy, executable=True))
    own = SANDBOX.image(ImageRequest(recipe="builtin", base=rig.BASE, environment=files))
    with SANDBOX.open(run="e2e-env-spy", slots=1, program=ECHO, limits=TIGHT) as opened:
        ran = run(opened, own, "print(sorted(set(open('/opt/nets').read().split())))")
    assert ran.stdout.data == b"['lo']\n"
