"""Which file of settings is read, and whose it is when it is wrong."""

from __future__ import annotations

import io
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from aces_ci.cli.check import COMMAND as CHECK
from aces_ci.cli.judge import COMMAND as JUDGE
from aces_ci.cli.live import COMMAND as LIVE
from aces_ci.cli.settings import COMMAND as SETTINGS
from aces_ci.core.errors import UsageError
from aces_ci.jobs.run import Options, run
from tests.git_history import History

SKILL = "---\nname: log-triage\ndescription: Sorts logs. Use when a log is long.\n---\n\n# Logs\n\nSort them.\n"
NOTICE = "aces.yaml is not read; the file is aces.yml"


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repo")


def ran(history: History, tmp_path: Path, *, config: Path | None = None) -> str:
    stderr = io.StringIO()
    options = Options(
        repo=history.path, base="main", head="work", output=tmp_path / "out", post=False, quiet=1, config=config
    )
    run(options, env={}, stdout=io.StringIO(), stderr=stderr)
    return stderr.getvalue()


@pytest.mark.parametrize("command", [SETTINGS, CHECK])
def test_a_misnamed_file_of_the_working_tree_is_told_on_stderr(command: click.Command, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(SKILL)
    (tmp_path / "aces.yaml").write_text("gates: {spec: off}\n")
    result = CliRunner().invoke(command, ["--repo", str(tmp_path)], standalone_mode=False)
    assert result.exception is None
    assert NOTICE in result.stderr
    assert NOTICE not in result.stdout
    (tmp_path / "other.yml").write_text("version: 1\n")
    chosen = ["--repo", str(tmp_path), "--config", str(tmp_path / "other.yml")]
    assert NOTICE not in CliRunner().invoke(command, chosen, standalone_mode=False).stderr


def test_a_misnamed_file_at_the_tip_of_the_default_branch_is_told(history: History, tmp_path: Path) -> None:
    start = history.commit("main", {"aces.yaml": "gates: {spec: off}\n"})
    history.commit("work", {"log-triage/SKILL.md": SKILL}, parent=start)
    assert NOTICE in ran(history, tmp_path)


def test_a_misnamed_file_that_the_change_brings_is_told(history: History, tmp_path: Path) -> None:
    start = history.commit("main", {"README.md": "x\n"})
    history.commit("work", {"log-triage/SKILL.md": SKILL, "aces.yaml": "version: 1\n"}, parent=start)
    assert NOTICE in ran(history, tmp_path)


def test_a_rightly_named_file_says_nothing(history: History, tmp_path: Path) -> None:
    start = history.commit("main", {"aces.yml": "version: 1\n"})
    history.commit("work", {"log-triage/SKILL.md": SKILL}, parent=start)
    assert NOTICE not in ran(history, tmp_path)


@pytest.mark.parametrize("text", ["gates: {spec: [\n", "gates: {spec: blok}\n", "gatez: {}\n"])
def test_a_wrong_file_of_the_default_branch_is_named_as_its(text: str, history: History, tmp_path: Path) -> None:
    start = history.commit("main", {"aces.yml": text})
    history.commit("work", {"log-triage/SKILL.md": SKILL, "aces.yml": "version: 1\n"}, parent=start)
    with pytest.raises(UsageError) as caught:
        ran(history, tmp_path)
    assert caught.value.at is not None
    assert f"{start[:7]} (default branch tip)" in caught.value.at


def test_a_wrong_file_of_the_command_line_is_not_the_default_branchs(history: History, tmp_path: Path) -> None:
    start = history.commit("main", {"README.md": "x\n"})
    history.commit("work", {"log-triage/SKILL.md": SKILL}, parent=start)
    (tmp_path / "mine.yml").write_text("gatez: {}\n")
    with pytest.raises(UsageError) as caught:
        ran(history, tmp_path, config=tmp_path / "mine.yml")
    assert "default branch" not in caught.value.text()


@pytest.mark.parametrize("command", [JUDGE, LIVE], ids=["judge", "live"])
def test_a_path_that_is_not_there_is_told_before_a_missing_key(
    command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ACES_JUDGE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["nope"], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
    assert "nope does not exist" in result.exception.message


def test_live_at_a_terminal_takes_the_server_that_the_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "log-triage").mkdir()
    (tmp_path / "log-triage/SKILL.md").write_text(SKILL)
    monkeypatch.chdir(tmp_path)
    given = ["log-triage", "--set", "live.sandbox.backend=process", "--set", "live.harnesses=[{name: nope, model: m}]"]
    server = ["--set", "judge.base_url=http://127.0.0.1:9/v1"]
    result = CliRunner().invoke(LIVE, [*given, *server], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
    assert result.exception.code == "no_harness", "the address was taken, and the next thing is asked for"


@pytest.mark.parametrize("cap", ["inf", "nan", "1e400"])
def test_a_cap_without_an_end_is_no_cap(cap: str) -> None:
    result = CliRunner().invoke(LIVE, ["log-triage", "--max-usd", cap], standalone_mode=False)
    assert isinstance(result.exception, click.BadParameter)
