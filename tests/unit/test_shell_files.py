"""Our own files on a disk that somebody else prepared."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aces_ci.core.errors import DeliveryError, UsageError
from aces_ci.shell import trees
from aces_ci.shell.files import PRIVATE, Folder, read_bounded


def test_folders_are_made_and_the_text_is_there_with_its_mode(tmp_path: Path) -> None:
    folder = Folder.at("out/deep", cwd=tmp_path)
    folder.write("a/report.json", "{}")
    folder.write("state", b"x", mode=PRIVATE)
    assert (tmp_path / "out/deep/a/report.json").read_bytes() == b"{}"
    assert stat.S_IMODE((tmp_path / "out/deep/state").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "out/deep/a/report.json").stat().st_mode) == 0o644


@pytest.mark.parametrize("planted", ["out", "out/trials"])
def test_a_link_in_the_path_is_refused_and_nothing_is_written_behind_it(tmp_path: Path, planted: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    work = tmp_path / "work"
    (work / planted).parent.mkdir(parents=True)
    (work / planted).symlink_to(outside)
    with pytest.raises(UsageError, match="link") as caught:
        Folder.at("out", cwd=work).write("trials/x/log", "secret")
    assert caught.value.do is not None
    assert list(outside.iterdir()) == []


def test_an_absolute_path_below_the_checkout_is_walked_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    (work / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        Folder.at(work / "out/in", cwd=work).write("x", "y")


def test_a_link_where_the_file_goes_is_replaced_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/report.json").symlink_to(victim)
    Folder.at("out", cwd=tmp_path).write("report.json", "new")
    assert victim.read_text() == "kept"
    assert not (tmp_path / "out/report.json").is_symlink()


def test_a_link_where_lines_go_is_refused(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / "log").symlink_to(victim)
    with pytest.raises(UsageError):
        Folder.at(".", cwd=tmp_path).append("log", "x\n")
    with pytest.raises(UsageError):
        Folder.at(".", cwd=tmp_path).read("log", limit=10)
    assert victim.read_text() == "kept"


def test_names_that_leave_the_folder_are_a_bug_of_ours(tmp_path: Path) -> None:
    for name in ("../x", "/etc/x", "a/../../x", "."):
        with pytest.raises(ValueError, match="not a name"):
            Folder.at("out", cwd=tmp_path).write(name, "")


def test_a_torn_last_line_is_cut_before_the_next_is_added(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\ntwo\nto")
    Folder.at(".", cwd=tmp_path).append("log", "three\n")
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\nthree\n"
    (tmp_path / "torn").write_bytes(b"x" * 200_000)
    Folder.at(".", cwd=tmp_path).append("torn", "y\n")
    assert (tmp_path / "torn").read_bytes() == b"y\n"


def test_reading_is_bounded_by_what_is_read_and_refuses_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    os.mkfifo(tmp_path / "fifo")
    for name in ("big", "fifo"):
        with pytest.raises(UsageError):
            read_bounded(tmp_path / name, limit=10)
    with pytest.raises(UsageError):
        read_bounded(tmp_path, limit=10)
    assert Folder.at(".", cwd=tmp_path).read("absent", limit=10) is None


def test_the_redactor_sees_every_byte(tmp_path: Path) -> None:
    folder = Folder.at(".", cwd=tmp_path, redact=lambda data: data.replace(b"hunter22", b"***"))
    folder.write("a", "x hunter22")
    folder.append("b", "y hunter22\n")
    assert (tmp_path / "a").read_bytes() == b"x ***"
    assert (tmp_path / "b").read_bytes() == b"y ***\n"


def test_killed_at_any_moment_the_file_is_the_old_or_a_new_one_and_lines_are_whole(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from aces_ci.shell.files import Folder
        folder = Folder.at(".", cwd=Path(sys.argv[1]))
        number = 0
        while True:
            number += 1
            folder.write("whole", str(number % 10) * 100_000)
            folder.append("lines", str(number % 10) * 5_000 + "\\n")
            print(number, flush=True)
        """
    )
    for wait in range(3):
        with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(wait * 3 + 1):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        data = (tmp_path / "whole").read_bytes()
        assert len(data) == 100_000
        assert len(set(data)) == 1
    Folder.at(".", cwd=tmp_path).append("lines", "end\n")
    rows = (tmp_path / "lines").read_text().splitlines()
    assert all(len(row) == 5_000 and len(set(row)) == 1 for row in rows[:-1])
    assert rows[-1] == "end"


def test_a_folder_that_we_make_is_hidden_from_git_and_one_that_was_there_is_not(tmp_path: Path) -> None:
    made = Folder.at("out/in", cwd=tmp_path)
    made.claim()
    made.claim()
    assert (tmp_path / "out/in/.gitignore").read_text() == "*\n"
    assert stat.S_IMODE((tmp_path / "out/in/.gitignore").stat().st_mode) == 0o644
    assert not (tmp_path / "out/.gitignore").exists()
    (tmp_path / "theirs").mkdir()
    for place in ("theirs", "."):
        Folder.at(place, cwd=tmp_path).claim()
    assert not (tmp_path / "theirs/.gitignore").exists() and not (tmp_path / ".gitignore").exists()


def test_a_link_to_nowhere_is_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "gone")
    Folder.at("out", cwd=tmp_path).claim()
    assert not (tmp_path / "gone").exists()


def test_lines_of_several_threads_are_all_kept(tmp_path: Path) -> None:
    folder = Folder.at("out", cwd=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: folder.append("log", f"{number}\n"), range(200)))
    assert sorted(map(int, (tmp_path / "out/log").read_text().split())) == list(range(200))


HOLDER = """
import sys
from pathlib import Path
from aces_ci.shell.files import Folder
with Folder.at("out", cwd=Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_start_at_a_time_holds_a_folder_and_a_killed_one_holds_nothing(tmp_path: Path) -> None:
    folder = Folder.at("out", cwd=tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match="another aces-ci runs in") as told, folder.held():
            raise AssertionError("two starts in one folder")
        assert told.value.code == "output_busy" and told.value.do
        key = folder.key
        other.send_signal(signal.SIGKILL)
    with folder.held():
        folder.write("evidence.jsonl", "x")
        assert folder.key == key, "the next start is known as the same run"
    assert (tmp_path / "out/.gitignore").exists()


def test_a_copy_of_a_folder_is_another_run(tmp_path: Path) -> None:
    with Folder.at("out", cwd=tmp_path).held():
        subprocess.run(["cp", "-a", "out", "copy"], cwd=tmp_path, check=True)
        with Folder.at("copy", cwd=tmp_path).held():
            assert Folder.at("out", cwd=tmp_path).key != Folder.at("copy", cwd=tmp_path).key


def test_a_planted_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.aces-lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="link"), Folder.at("out", cwd=tmp_path).held():
        raise AssertionError("a link was taken for our lock")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(("durable", "synced"), [(True, 1), (False, 0)])
def test_only_what_must_survive_a_fall_of_the_system_waits_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, synced: int
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    Folder.at(".", cwd=tmp_path).append("log", "x\n", durable=durable)
    assert (len(calls), (tmp_path / "log").read_text()) == (synced, "x\n")


def test_many_new_files_wait_for_the_disk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    on_disk = trees._on_disk

    def counted(place: int) -> None:
        assert len(list((tmp_path / "out/t/deep").rglob("*.txt"))) == 300, "everything is written before"
        waits.append(place)
        on_disk(place)

    def never(handle: int) -> None:
        raise AssertionError("a file was waited for by itself")

    monkeypatch.setattr(trees, "_on_disk", counted)
    monkeypatch.setattr(os, "fsync", never)
    names = [f"t/deep/{number % 7}/{number}.txt" for number in range(300)]
    trees.write_new(
        Folder.at("out", cwd=tmp_path, redact=lambda data: data.replace(b"key", b"***")),
        {"t/log": b"a key", **dict.fromkeys(names, b"x")},
    )
    assert len(waits) == 1
    assert (tmp_path / "out/t/log").read_bytes() == b"a ***"
    assert stat.S_IMODE((tmp_path / "out/t/log").stat().st_mode) == PRIVATE


def test_new_files_go_where_there_is_nothing_yet_and_through_no_link(tmp_path: Path) -> None:
    folder, outside = Folder.at("out", cwd=tmp_path), tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("kept")
    folder.write("t/there", "kept")
    (tmp_path / "out/t/link").symlink_to(outside / "victim")
    (tmp_path / "out/t/folder").symlink_to(outside)
    for name in ("t/there", "t/link", "t/folder/new"):
        with pytest.raises((DeliveryError, UsageError)) as caught:
            trees.write_new(folder, {name: b"x"})
        assert caught.value.do is not None
    assert (tmp_path / "out/t/there").read_text() == (outside / "victim").read_text() == "kept"
    assert [path.name for path in outside.iterdir()] == ["victim"]


def test_a_disk_that_refuses_to_keep_them_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(place: int) -> None:
        raise OSError(errno.EIO, "syncfs")

    monkeypatch.setattr(trees, "_on_disk", full)
    with pytest.raises(DeliveryError, match="cannot write a: "):
        trees.write_new(Folder.at("out", cwd=tmp_path), {"a": b"x"})


@pytest.mark.parametrize("kind", ["folder", "file", "link to a folder", "nothing"])
def test_what_is_discarded_is_gone_and_what_a_link_leads_to_is_not(tmp_path: Path, kind: str) -> None:
    folder, outside = Folder.at("out", cwd=tmp_path), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    place = tmp_path / "out/trials/t"
    place.parent.mkdir(parents=True)
    match kind:
        case "folder":
            folder.write("trials/t/a/b", "x")
            (place / "a/out").symlink_to(outside)
        case "file":
            place.touch()
        case "link to a folder":
            place.symlink_to(outside)
    trees.discard(folder, "trials/t")
    assert not os.path.lexists(place)
    assert (outside / "kept").exists()
