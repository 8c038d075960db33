"""The boundary of the command line: each kind of failure has its own exit code and a text that helps."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from aces_ci.cli import main as boundary
from aces_ci.core.errors import AcesError, DeliveryError, NotPermitted, UsageError

ROOT = Path(__file__).resolve().parents[2]
CANARY = "sk-canary-0123456789"


def ends(monkeypatch: pytest.MonkeyPatch, raised: BaseException | int, *words: str) -> int:
    """The exit code where a command raises or returns this."""

    def start(**_: object) -> int:
        if isinstance(raised, BaseException):
            raise raised
        return raised

    monkeypatch.setattr(boundary.cli, "main", start)
    with pytest.raises(SystemExit) as left:
        boundary.main(["check", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (0, 0),
        (1, 1),
        (3, 3),
        (UsageError("no", code="x"), 2),
        (click.UsageError("no"), 2),
        (DeliveryError("no", code="x"), 4),
        (NotPermitted("no", code="x"), 4),
        (click.exceptions.Abort(), 130),
        (ValueError("no"), 70),
        (FileNotFoundError(2, "no"), 70),
        (OSError(28, "full"), 4),
        (ModuleNotFoundError("no", name="scipy.special"), 2),
        (ModuleNotFoundError("no", name="aces_ci.nowhere"), 70),
    ],
)
def test_each_kind_of_ending_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], raised: BaseException | int, code: int
) -> None:
    del capfd  # what is written goes to a file that may be replaced
    assert ends(monkeypatch, raised) == code


def test_an_error_says_where_why_and_what_to_do_on_stderr_and_is_json_where_json_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = UsageError("no such thing", code="thing", at="here", why="it matters", do="name another", path="a", line=3)
    ends(monkeypatch, error)
    assert capsys.readouterr() == (
        "",
        "error: no such thing\n  at:  here\n  why: it matters\n  do:  name another\n",
    )
    ends(monkeypatch, error, "--format", "json")
    assert json.loads(capsys.readouterr().out) == {
        "schema_version": 1,
        "error": {"code": "thing", "message": "no such thing", "path": "a", "line": 3, "do": "name another"},
    }


def test_a_bug_is_a_report_without_secrets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MY_API_KEY", CANARY)
    ends(monkeypatch, ValueError(f"unexpected {CANARY}"), "--format=json")
    out, err = capsys.readouterr()
    assert err.startswith("error: a bug in aces-ci, not in your skill\n")
    assert "ran: aces-ci check --format=json" in err
    assert "ValueError: unexpected" in err
    assert CANARY not in err + out
    assert json.loads(out)["error"]["code"] == "bug"


def test_a_package_of_an_extra_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends(monkeypatch, ModuleNotFoundError("no", name="scipy"))
    assert capsys.readouterr().err == (
        "error: the package `scipy`, which this needs, is not installed\n  do:  pip install 'aces-ci[judge,live]'\n"
    )
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = {re.split(r"[<>=]", row)[0] for name in ("judge", "live") for row in extras[name]}
    assert set(boundary.EXTRAS) == wanted
    assert {extra for value in boundary.EXTRAS.values() for extra in value.split(",")} <= set(extras)


def test_no_error_has_the_code_of_a_verdict() -> None:
    assert {kind.exit_code for kind in (AcesError, *AcesError.__subclasses__())} == {2, 4}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_bug_and_a_closed_pipe_no_verdict() -> None:
    command = [sys.executable, "-m", "aces_ci", "explain", "SP004"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr.splitlines()[0]) == (4, "error: the output could not be written")
    assert "Traceback" not in done.stderr
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_pipe_of_our_own_that_breaks_is_a_bug_and_not_silence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(boundary.cli, "get_command", broken)
    with pytest.raises(SystemExit) as left:
        boundary.main(["check"])
    assert left.value.code == 70
    assert "a pipe of our own broke" in capfd.readouterr().err
