"""`--provider-url` is one server for all; `--set judge.base_url` outranks it for the judge, in every command alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from aces_ci.cli.main import cli
from aces_ci.core.trace import file as trace_file
from aces_ci.core.wire import to_line
from aces_ci.settings.load import load, with_server
from aces_ci.trialling import server_of
from tests.git_history import History, git, skill
from tests.golden.live_evidence import CANNOT_TELL, run_of
from tests.traces import snippets

GOOD, BAD = "http://127.0.0.1:9", "http://127.0.0.1:99999"
"""BAD has the form of an address, so that the option takes it, and no port: the setting refuses it."""
REFUSED = "`judge.base_url` must be an address"
ARGUMENTS = {
    "calibrate judge": ("labels.jsonl",),
    "check": (CANNOT_TELL.path,),
    "doctor": (),
    "evals create": (CANNOT_TELL.path, "--add", "1", "--grounded"),
    "evals masked": (CANNOT_TELL.path,),
    "evals refine": (CANNOT_TELL.path, "--from", "evidence.jsonl", "--grounded"),
    "grade": ("trace.json", "--case", "case.json", "--judge"),
    "judge": (CANNOT_TELL.path,),
    "live": (CANNOT_TELL.path, "--yes", "--set", "live.sandbox.backend=process"),
    "plan": ("--base", "HEAD~1"),
    "report": ("evidence.jsonl",),
    "run": ("--base", "HEAD~1", "--no-post"),
    "settings": ("judge",),
}
"""What each command needs to come as far as its settings."""

FILES = {
    f"{CANNOT_TELL.path}/SKILL.md": skill("schema-migrate"),
    f"{CANNOT_TELL.path}/evals/evals.json": json.dumps(
        {"evals": [{"id": "a", "prompt": "The total?", "expected_output": "7", "generated": True}]}
    ),
}


def with_a_server(group: click.Group, name: str = "") -> Iterator[str]:
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        called = f"{name} {word}".strip()
        if isinstance(command, click.Group):
            yield from with_a_server(command, called)
        elif command is not None and any("--provider-url" in option.opts for option in command.params):
            yield called


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = History(tmp_path_factory.mktemp("provider") / "r", bare=False)
    made.commit("main", FILES)
    made.commit("main", {f"{CANNOT_TELL.path}/SKILL.md": skill("schema-migrate", "More.")})
    git(made.path, "checkout", "--quiet", "main")
    trace = snippets.trajectory("codex", [{"say": "7"}])
    (made.path / "trace.json").write_bytes(trace_file.write(trace))
    (made.path / "case.json").write_text(json.dumps({"id": "a", "prompt": "The total?", "reference": "7"}))
    (made.path / "labels.jsonl").write_text(
        json.dumps({"skill": CANNOT_TELL.path, "criterion": "example_quality", "pass": True}), encoding="utf-8"
    )
    lines = "".join(f"{to_line(line)}\n" for line in run_of(CANNOT_TELL))
    (made.path / "evidence.jsonl").write_text(lines, encoding="utf-8")
    return made.path


@pytest.fixture
def repo(made_once: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command is refused before it writes anything there."""
    monkeypatch.chdir(made_once)
    return made_once


def said(command: str, *words: str) -> str:
    """Everything that a command says, and that it did not do what it was told."""
    result = CliRunner().invoke(cli, [*command.split(), *ARGUMENTS[command], *words], standalone_mode=False)
    assert result.return_value or result.exception
    return f"{result.output}{result.exception}"


def test_every_command_with_such_an_option_is_looked_at() -> None:
    assert sorted(with_a_server(cli)) == sorted(ARGUMENTS)


@pytest.mark.parametrize("command", ARGUMENTS)
def test_the_server_is_the_judges_where_nothing_else_is_said(command: str, repo: Path) -> None:
    assert REFUSED in said(command, "--provider-url", BAD)


@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_setting_for_the_judge_outranks_the_server_of_all(command: str, repo: Path) -> None:
    assert REFUSED in said(command, "--provider-url", GOOD, "--set", f"judge.base_url={BAD}")
    assert REFUSED in said(command, "--set", f"judge.base_url={BAD}", "--provider-url", GOOD)


@pytest.mark.parametrize("command", ARGUMENTS)
def test_what_is_no_address_is_refused_where_it_was_given(command: str, repo: Path) -> None:
    assert "localhost:11434 is no URL" in said(command, "--provider-url", "localhost:11434")


def test_agents_keep_the_server_of_all(tmp_path: Path) -> None:
    other = "http://127.0.0.1:10"
    settings = load(overrides=with_server(GOOD, [f"judge.base_url={other}"])).settings
    assert str(settings.judge.base_url).rstrip("/") == other
    assert server_of(settings, GOOD) == GOOD
    assert server_of(settings, None) == f"{other}/"


def test_a_plan_counts_on_the_agents_server_though_the_judge_has_none(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    agents = "live.harnesses=[{name: claude-code, model: claude-sonnet-5}]"
    words = ["plan", "--base", "HEAD~1", "--set", agents, "--set", "judge.base_url=null", "--format", "json"]
    without, named = (
        json.loads(CliRunner().invoke(cli, [*words, *more]).stdout)["live"]["because"]
        for more in ((), ("--provider-url", GOOD))
    )
    assert without == "no provider key is set"
    assert named != without
