"""The pure parts of the Docker sandbox: payloads, archives, streams, and the author's Dockerfile."""

from __future__ import annotations

import gc
import io
import json
import socket
import socketserver
import tarfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import Job, Limits, Program, SandboxLost
from aces_ci.sandboxes._docker import berth, dockerfile, images, trial
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.collect import Harvest, read
from aces_ci.sandboxes._docker.engine import Engine
from aces_ci.sandboxes._docker.gateway import gateway_spec, slot_volume
from aces_ci.sandboxes._docker.spec import seccomp
from aces_ci.sandboxes._docker.streams import HeadTail

LABELS = {"aces-ci.run": "r1", "aces-ci.created": "1795000000"}
PLACE = berth.Berth(key="k", holder="h", workspace="aces-k-ws", home="aces-k-home")
RECIPES = ("builtin", "claude-code", "codex", "opencode")


def agent_payload(*, network: bool = False) -> dict[str, object]:
    environment = {"ANTHROPIC_API_KEY": "aces-token"}
    job = Job(slot=0, image="sha256:abc", command=("claude", "-p"), environment=environment, network=network)
    return trial.spec(job, PLACE, "aces-x-s0", LABELS, ("PIP_CERT", "PATH")).payload()


def gateway_payload() -> dict[str, object]:
    program = Program(image="aces-ci:1", command=("aces-ci", "gateway"))
    spec = gateway_spec(
        program, name="gw", image="sha256:g", network="aces-x-egress", volumes={"s0": "aces-x-s0"}, labels=LABELS
    )
    return spec.payload()


def without_filter(payload: dict[str, object]) -> dict[str, object]:
    """The system call filter is a file of its own; here only that it is there."""
    host = dict(payload["HostConfig"])  # type: ignore[call-overload]
    options = [item.split("=")[0] + "=…" if item.startswith("seccomp=") else item for item in host["SecurityOpt"]]
    return {**payload, "HostConfig": {**host, "SecurityOpt": options}}


def test_every_payload_is_as_reviewed(snapshot: SnapshotAssertion) -> None:
    shown = {
        "agent": without_filter(agent_payload()),
        "gateway": without_filter(gateway_payload()),
        "holder": without_filter(berth.holder("k", "sha256:abc", LABELS).payload()),
        "volumes": [item.payload(LABELS) for item in (*berth.volumes("k", Limits()), slot_volume("aces-x-s0"))],
    }
    assert json.dumps(shown, indent=1, sort_keys=True, ensure_ascii=False) == snapshot


@pytest.mark.parametrize("payload", [agent_payload(), gateway_payload(), berth.holder("k", "i", LABELS).payload()])
def test_no_container_has_a_way_to_the_host(payload: dict[str, object]) -> None:
    host = payload["HostConfig"]
    assert isinstance(host, dict)
    assert not {"Binds", "Devices", "VolumesFrom", "PidMode", "UsernsMode", "CgroupParent", "DeviceRequests"} & set(
        host
    )
    assert (host["Privileged"], host["CapAdd"], host["CapDrop"], host["ReadonlyRootfs"]) == (False, [], ["ALL"], True)
    assert all(mount["Type"] == "volume" for mount in host["Mounts"])
    assert host["MemorySwap"] == host["Memory"] > 0 and host["PidsLimit"] > 0
    assert "no-new-privileges" in host["SecurityOpt"] and f"seccomp={seccomp()}" in host["SecurityOpt"]
    assert host["LogConfig"]["Type"] == "none"


def test_only_the_gateway_has_a_network_and_the_agent_cannot_write_its_socket() -> None:
    agent, gateway = agent_payload()["HostConfig"], gateway_payload()["HostConfig"]
    assert isinstance(agent, dict) and isinstance(gateway, dict)
    assert (agent["NetworkMode"], gateway["NetworkMode"]) == ("none", "aces-x-egress")
    assert [mount["ReadOnly"] for mount in agent["Mounts"] if mount["Target"] == "/run/gw"] == [True]


def test_hosts_that_the_policy_allows_change_one_word_of_the_agents_container_and_no_network() -> None:
    without, allowed = agent_payload(), agent_payload(network=True)
    assert without.pop("Cmd") != (command := allowed.pop("Cmd"))
    assert without == allowed and "8000=/run/gw/gw.sock,8001=/run/gw/net.sock" in command


def test_the_filter_names_what_it_lets_through_and_nothing_else() -> None:
    rules = json.loads(seccomp())
    assert rules["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {name for rule in rules["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    forbidden = {
        "io_uring_setup", "ptrace", "process_vm_readv", "process_vm_writev", "keyctl", "add_key", "userfaultfd", "bpf",
        "mount", "unshare", "setns", "modify_ldt", "kexec_load", "perf_event_open", "init_module", "open_by_handle_at",
    }  # fmt: skip
    assert not allowed & forbidden
    families = [rule["args"][0]["value"] for rule in rules["syscalls"] if rule["names"] == ["socket"]]
    assert sorted(families) == [1, 2, 10, 16], "UNIX, INET, INET6, NETLINK (routes only)"


# -- archives ---------------------------------------------------------------------------------------------------


def test_packing_names_every_folder_and_owner() -> None:
    data = pack([StagedFile(path="a/b/c.sh", data=b"x", executable=True)], uid=1000, gid=1000)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        found = [(item.name, item.uid, oct(item.mode), item.isdir()) for item in archive]
    assert found == [("a", 1000, "0o755", True), ("a/b", 1000, "0o755", True), ("a/b/c.sh", 1000, "0o755", False)]


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", ""])
def test_packing_refuses_a_path_outside(path: str) -> None:
    with pytest.raises(ValueError, match="not a relative path"):
        pack([StagedFile(path=path, data=b"")], uid=0, gid=0)


def tar(*entries: tuple[str, bytes, bytes], link: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, kind, data in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = kind, len(data), link
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def collect(data: bytes, **limits: int) -> Harvest:
    return read(iter([data[i : i + 999] for i in range(0, len(data), 999)]), root="ws", limits=Limits(**limits))


def test_collecting_takes_plain_files_and_tells_the_rest() -> None:
    rows = (
        ("ws", tarfile.DIRTYPE, b""),
        ("ws/a.txt", tarfile.REGTYPE, b"1"),
        ("ws/link", tarfile.SYMTYPE, b""),
        ("ws/hard", tarfile.LNKTYPE, b""),
        ("ws/dev", tarfile.CHRTYPE, b""),
        ("ws/pipe", tarfile.FIFOTYPE, b""),
        ("ws/../up", tarfile.REGTYPE, b"2"),
        ("ws/C:/x", tarfile.REGTYPE, b"2"),
        ("ws/back\\slash", tarfile.REGTYPE, b"2"),
        ("ws/new\nline", tarfile.REGTYPE, b"2"),
        ("ws/bi\u202edi", tarfile.REGTYPE, b"2"),
        ("ws/e\u0301", tarfile.REGTYPE, b"2"),
        ("ws/.git/config", tarfile.REGTYPE, b"2"),
        ("ws/A.TXT", tarfile.REGTYPE, b"2"),
        ("ws/" + "d/" * 60 + "x", tarfile.REGTYPE, b"2"),
        ("ws/" + "n" * 300, tarfile.REGTYPE, b"2"),
        ("ws/z.txt", tarfile.REGTYPE, b"3"),
    )
    found = collect(tar(*rows, link="/etc/shadow"))
    assert {file.path: file.data for file in found.files} == {"a.txt": b"1", "z.txt": b"3"}
    assert len(found.notes) == 14 and all("left out" in note for note in found.notes)
    assert all(note.isascii() and note.isprintable() for note in found.notes)


def test_caps_hold_for_a_file_for_all_and_for_their_number() -> None:
    files = tuple((f"ws/{n}", tarfile.REGTYPE, b"x" * 1000) for n in range(20))
    assert len(collect(tar(*files), collect_bytes=5500).files) == 5
    assert collect(tar(*files), collect_file_bytes=999).files == []
    found = collect(tar(*files), collect_entries=7)
    assert len(found.files) == 7 and "collection stopped: more than 7 files" in found.notes


def test_a_stream_longer_than_its_cap_is_left_unread() -> None:
    pulled = []

    def endless() -> Iterator[bytes]:
        entry = tarfile.TarInfo("ws/a")
        entry.size = 1 << 40
        yield entry.tobuf()
        while True:
            pulled.append(1)
            yield b"x" * 1_000_000

    found = read(endless(), root="ws", limits=Limits(collect_bytes=5_000_000, collect_entries=10))
    assert found.files == [] and any("larger than the cap" in note for note in found.notes)
    assert len(pulled) < 20


@given(st.binary(max_size=4000))
def test_no_bytes_can_make_the_reader_raise(data: bytes) -> None:
    assert isinstance(collect(data).notes, list)


# -- streams ----------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(1, 50))
def test_head_and_tail_are_kept_and_the_gap_is_counted(chunks: list[bytes], half: int) -> None:
    kept, whole = HeadTail(half), b"".join(chunks)
    for chunk in chunks:
        kept.add(chunk)
    stream = kept.stream()
    if not stream.dropped:
        assert stream.data == whole
    else:
        marker = f"[aces-ci: {stream.dropped} bytes left out]\n".encode()
        head, _, tail = stream.data.partition(marker)
        assert whole.startswith(head) and whole.endswith(tail)
        assert len(head) + len(tail) + stream.dropped == len(whole)
        assert len(head) <= half and len(tail) <= half


# -- the author's Dockerfile ---------------------------------------------------------------------------------------

BASE = "python:3.11-slim-bookworm"
ONTO = "aces-ci/builtin:0123"


def check(text: str) -> str:
    return dockerfile.rebased(text.encode(), path="evals/environment/Dockerfile", base=BASE, onto=ONTO).decode()


def test_a_plain_environment_is_accepted() -> None:
    check(f"# tools\nARG V=1\nFROM {BASE} AS tools\nRUN apt-get \\\n  update\nFROM {BASE}\nCOPY --from=tools /a /a\n")
    check(f"FROM {BASE}\nCOPY --chown=1000:1000 data /data\nENV A=b\nUSER root\nWORKDIR /x\nADD local.tar /y\n")
    check(f"FROM {BASE}\nFROM {BASE}\r\nCOPY --from=0 /a /b\r\nRUN a \\ \t\n  # why\n\n  b\nLABEL by=Zo\u00eb\n")


def test_only_the_base_is_another_one_and_every_line_keeps_its_number() -> None:
    text = f"FROM \\\n {BASE} \\\n  as tools\nRUN a  \\\n  'b  c'\nfrom {BASE}\r\nFROM Tools\nCOPY --from=0 /a /a"
    assert check(text) == (
        f"FROM {ONTO} AS tools\n\n\nRUN a  \\\n  'b  c'\nFROM {ONTO}\nFROM Tools\nCOPY --from=0 /a /a"
    )


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f"# syntax=docker/dockerfile:1\nFROM {BASE}\n", 1, "directive"),
        (f"#escape=`\nFROM {BASE}\n", 1, "directive"),
        ("FROM alpine\n", 1, "only one base image"),
        (f"FROM --platform=linux/arm64 {BASE}\n", 1, "only one base image"),
        ("ARG X=alpine\nFROM $X\n", 2, "only one base image"),
        (f"FROM {BASE}\nFROM alpine AS b\n", 2, "only one base image"),
        (f"FROM {BASE}\nVOLUME /data\n", 2, "VOLUME is not allowed"),
        (f"FROM {BASE}\nONBUILD RUN id\n", 2, "ONBUILD is not allowed"),
        (f"FROM {BASE}\nHEALTHCHECK CMD id\n", 2, "HEALTHCHECK is not allowed"),
        (f"FROM {BASE}\nADD https://example.com/x /x\n", 2, "ADD may not fetch"),
        (f"FROM {BASE}\nADD git@example.com:a/b /x\n", 2, "ADD may not fetch"),
        (f'FROM {BASE}\nADD ["https://example.com/x", "/x"]\n', 2, "ADD may not fetch"),
        (f"FROM {BASE}\nCOPY --from=alpine /etc/passwd /x\n", 2, "COPY --from=alpine is not allowed"),
        (f"FROM {BASE}\nRUN --mount=type=secret,id=x cat /run/secrets/x\n", 2, "RUN --mount"),
        (f"FROM {BASE}\nRUN --network=host id\n", 2, "RUN --network"),
        (f"FROM {BASE}\nRUN <<EOF\nid\nEOF\n", 2, "here-documents"),
        (f"FROM {BASE}\nRU\\\nN --security=insecure id\n", 2, "RUN --security"),
        (f"FROM {BASE}\nVOL\\\nUME /x\n", 2, "VOLUME is not allowed"),
        (f"FROM {BASE}\nARG U=http\nADD ${{U}}s://example.com/x /x\n", 3, "ADD may not fetch"),
        (f"FROM {BASE}\nARG U=https://example.com/x\nADD $U /x\n", 3, "ADD may not fetch"),
        (f'FROM {BASE}\nADD ["https:\\/\\/example.com/x", "/x"]\n', 2, "ADD may not fetch"),
        # What Python takes for the end of a line or for a blank, and the builder does not:
        (f"FROM {BASE}\nRUN true \\\u0085\nADD https://example.com/x /x\n", 2, r"U\+0085"),
        (f"FROM {BASE}\nRUN true \\\u00a0\nONBUILD RUN id\n", 2, r"U\+00A0"),
        (f"FROM {BASE}\nRUN true \\\u2028\nVOLUME /x\n", 2, r"U\+2028"),
        (f"FROM {BASE}\nRUN true \\\x0c\nVOLUME /x\n", 2, r"U\+000C"),
        (f"FROM {BASE}\nRUN true \\\r \nONBUILD RUN id\n", 2, r"U\+000D"),
        (f"\ufeffFROM {BASE}\n", 1, r"U\+FEFF"),
        # A number that names no stage is the beginning of an image's digest.
        (f"FROM {BASE}\nCOPY --from=0 /a /a\n", 2, "COPY --from=0 is not allowed"),
        (f"FROM {BASE}\nFROM {BASE}\nCOPY --from=12 /a /a\n", 3, "COPY --from=12 is not allowed"),
        (f"FROM {BASE} AS debian:12\nCOPY --from=debian:12 /a /a\n", 1, "at most `AS name`"),
        ("RUN id\n", 1, "does not begin with FROM"),
        ("", 1, "no FROM"),
        (f"from {BASE}\nvolume /x\n", 2, "VOLUME"),
    ],
)
def test_what_could_change_our_run_is_refused_at_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(UsageError, match=why) as told:
        check(text)
    assert told.value.line == line and told.value.do


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        dockerfile.rebased(b"FROM \xff", path="Dockerfile", base=BASE, onto=ONTO)
    with pytest.raises(UsageError, match="longer than"):
        dockerfile.rebased(b"#" * 70_000, path="Dockerfile", base=BASE, onto=ONTO)


# -- recipes -------------------------------------------------------------------------------------------------------


def test_recipes_pin_verify_and_leave_nothing_of_npm(root: Path) -> None:
    tails = set()
    for name in RECIPES:
        folder = root / "aces_ci/sandboxes/images" / name
        text = (folder / "Dockerfile").read_text()
        tails.add(text[text.index("RUN set -eu;") :])
        if name == "builtin":
            continue
        lock = json.loads((folder / "package-lock.json").read_text())
        (package,) = [value for key, value in lock["packages"].items() if key]
        assert package["integrity"].startswith("sha512-") and "resolved" not in package
        assert "npm ci --ignore-scripts" in text and "sha256sum --check --strict SHA256SUMS" in text
        final = text[text.rindex("FROM ") :]
        assert "npm" not in final.replace("node_modules", "") and "COPY --from=fetch /fetch/node_modules/" in final
    assert len(tails) == 1, "the last step is the same text in every recipe"


def test_a_recipe_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="no image for the harness `nobody`"):
        images.recipe("nobody")


def hang_up(server: socket.socket) -> None:
    """On everybody who calls, until the server is shut down."""
    with suppress(OSError):
        while True:
            server.accept()[0].close()


@pytest.mark.parametrize("listens", [False, True], ids=["nobody", "no daemon"])
def test_a_daemon_that_is_not_there_is_one_error_and_leaves_no_socket_open(
    listens: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Warnings are errors here, and Python warns of a socket that was dropped open."""
    path = tmp_path / "docker.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    with socket.socket(socket.AF_UNIX) as server:
        if listens:
            server.bind(str(path))
            server.listen()
            threading.Thread(target=hang_up, args=(server,), daemon=True).start()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with pytest.raises(UsageError, match="Docker does not answer") as caught:
                Engine()
            assert caught.value.code == "no_docker"
            del caught
            gc.collect()
        if listens:
            server.shutdown(socket.SHUT_RDWR)
    assert not [str(item.message) for item in told if issubclass(item.category, ResourceWarning)]


class Daemon(socketserver.ThreadingUnixStreamServer):
    """Says its version to whoever asks, until it dies with all its connections."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        self.connections: list[socket.socket] = []
        super().__init__(str(path), Answering)
        threading.Thread(target=lambda: self.serve_forever(0.01), daemon=True).start()

    def die(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Answering(socketserver.BaseRequestHandler):
    """One connection."""

    def handle(self) -> None:
        self.server.connections.append(self.request)  # type: ignore[attr-defined]
        body = b'{"Version": "27.0", "ApiVersion": "1.44"}'
        while self.request.recv(65536):
            self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def test_calls_to_a_daemon_that_has_died_leave_no_socket_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docker.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    daemon = Daemon(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        engine = Engine()
        assert engine.version == "27.0"
        daemon.die()
        for _ in range(3):
            with pytest.raises(SandboxLost, match="did not answer") as lost:
                engine.state("c")
            del lost
        engine.close()
        gc.collect()
    assert not [str(item.message) for item in told if issubclass(item.category, ResourceWarning)]
