"""`check --fix` on a disk that is not as one would like it."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest
from click.exceptions import Abort
from click.testing import CliRunner, Result

from aces_ci.cli.check import COMMAND

WRONG = b"---\nname: parcel_quote\ndescription: Quotes parcels. Use when asked for a rate.\n---\n# Parcels\n"
RIGHT = WRONG.replace(b"parcel_quote", b"parcel-quote")


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "skills/parcel-quote/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(WRONG)
    monkeypatch.chdir(tmp_path)
    return path


def check(*args: str) -> Result:
    return CliRunner().invoke(COMMAND, list(args), catch_exceptions=False, standalone_mode=False)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o640])
def test_a_mended_file_keeps_its_mode(manifest: Path, mode: int) -> None:
    manifest.chmod(mode)
    assert "fixed: 1 file" in check("--fix").stderr
    assert manifest.read_bytes() == RIGHT
    assert stat.S_IMODE(manifest.stat().st_mode) == mode


def test_the_slashes_of_a_link_to_a_file_of_the_skill_are_mended(manifest: Path) -> None:
    body = b"See [x](.\\ref\\x.md), `..\\ref\\x.md`, `ref\\gone.md` and `C:\\ref\\x.md`.\n"
    manifest.write_bytes(RIGHT + body)
    (manifest.parent / "ref").mkdir()
    (manifest.parent / "ref/x.md").write_text("One to one.\n", encoding="utf-8")
    assert "fixed: 1 file" in check("--fix").stderr
    assert manifest.read_bytes() == RIGHT + body.replace(b".\\ref\\x.md)", b"./ref/x.md)")
    assert "CO044" not in check().stdout and "CO035" not in check().stdout
    long = b"a-" * 200_000
    manifest.write_bytes(RIGHT + long + b"\\\n")
    before = time.process_time()
    check("--diff", "--select", "CO035")
    assert time.process_time() - before < 20


def test_the_slashes_of_a_path_in_another_markdown_file_are_mended_from_where_it_lies(manifest: Path) -> None:
    manifest.write_bytes(RIGHT + b"See [x](ref/x.md).\n")
    guide = manifest.parent / "ref/x.md"
    guide.parent.mkdir()
    text = b"# X\r\n\r\nRun `..\\bin\\a.py`, `bin\\a.py` and `bin\\b.py`; see [y](y\\z.md).\r\n"
    guide.write_bytes(text)
    for name in ("bin/a.py", "ref/y/z.md"):
        (manifest.parent / name).parent.mkdir(exist_ok=True)
        (manifest.parent / name).write_text("print(1)\n", encoding="utf-8")
    assert "skills/parcel-quote/ref/x.md:3:6: warning CO035" in check().stdout
    assert "fixed: 1 file" in check("--fix").stderr
    mended = text.replace(b"..\\bin\\a", b"../bin/a").replace(b"`bin\\a", b"`bin/a").replace(b"y\\z", b"y/z")
    assert guide.read_bytes() == mended
    assert "CO035" not in check().stdout and check("--diff").stdout == ""


def test_a_number_where_text_is_meant_gets_quotes_and_keeps_its_end_of_line(manifest: Path) -> None:
    wrong = RIGHT.replace(b"---\n# P", b"metadata:\n  version: 1.10 \n---\n# P").replace(b"\n", b"\r\n")
    manifest.write_bytes(wrong)
    assert "CO005" in check("-v").stdout
    assert "fixed: 1 file" in check("--fix").stderr
    assert manifest.read_bytes() == wrong.replace(b"1.10", b'"1.10"')
    assert "CO005" not in check("-v").stdout and check("--diff").stdout == ""


def test_a_read_only_file_is_left_and_said(manifest: Path) -> None:
    manifest.chmod(0o444)
    done = check("--fix")
    assert "not fixed: skills/parcel-quote/SKILL.md: it is read-only" in done.stderr
    assert "fixed: 0 files" in done.stderr and "SP004" in done.stdout
    assert manifest.read_bytes() == WRONG


def test_what_the_disk_refuses_is_said_and_the_next_skill_is_mended(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = manifest.parents[1] / "zones/SKILL.md"
    other.parent.mkdir()
    other.write_bytes(WRONG)
    whole = os.rename

    def full(source: str, target: str, **places: int) -> None:
        if Path(f"/proc/self/fd/{places['dst_dir_fd']}").readlink().name == "parcel-quote":
            raise OSError(28, "No space left on device")
        whole(source, target, **places)

    monkeypatch.setattr(os, "rename", full)
    done = check("--fix")
    assert "not fixed: skills/parcel-quote/SKILL.md: cannot write SKILL.md: No space left" in done.stderr
    assert manifest.read_bytes() == WRONG and b"name: zones\n" in other.read_bytes()
    assert [path.name for path in manifest.parent.iterdir()] == ["SKILL.md"], "nothing half written is left"


def test_a_write_that_is_cut_off_loses_nothing(manifest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*args: object, **places: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", killed)
    with pytest.raises(Abort):
        CliRunner().invoke(COMMAND, ["--fix"], catch_exceptions=False, standalone_mode=False)
    assert manifest.read_bytes() == WRONG


def test_a_manifest_that_is_a_link_is_not_written_through(manifest: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.md"
    outside.write_bytes(WRONG)
    manifest.unlink()
    manifest.symlink_to(outside)
    assert "nothing to fix" in check("--fix").stderr
    assert outside.read_bytes() == WRONG and manifest.is_symlink()


def test_a_diff_gives_no_orders_to_a_terminal(manifest: Path) -> None:
    manifest.write_bytes(WRONG.replace(b"# Parcels", b"# \x1b[2JParcels \x9b0m \xe2\x80\xae\x07"))
    shown = check("--diff").stdout
    assert "name: parcel-quote" in shown
    manifest.write_bytes(WRONG.replace(b"name", b"x: \x1b]0;owned\x07\nname"))
    for text in (shown, check("--diff").stdout):
        assert all(char == "\n" or char >= " " for char in text) and "\u202e" not in text


def test_a_long_file_is_compared_in_a_moment(manifest: Path) -> None:
    rows = [f"line {number % 400}\r\n" if number % 2 else "\n" for number in range(40_000)]
    manifest.write_bytes(WRONG + "".join(rows).encode())
    begun = time.process_time()
    assert check("--diff").stdout.count("<CR>") == 20_000
    assert time.process_time() - begun < 30


def test_a_second_call_writes_nothing(manifest: Path) -> None:
    manifest.write_bytes(b"\xef\xbb\xbf" + WRONG.replace(b"Quotes", b"Note: quotes").replace(b"\n#", b"\r\n#"))
    assert "fixed: 1 file" in check("--fix").stderr
    before = manifest.stat().st_ino
    assert "nothing to fix" in check("--fix").stderr and manifest.stat().st_ino == before
