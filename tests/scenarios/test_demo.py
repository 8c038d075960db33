"""What a newcomer does first: the demonstration, and the completion of a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aces_ci import __version__


def aces(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    # Variables of a CI are no part of it: the demonstration is the same everywhere.
    env = {**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", **more}
    command = [sys.executable, "-m", "aces_ci", *words]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_the_demonstration_prints_the_comment_and_leaves_every_report(tmp_path: Path) -> None:
    done = aces("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, heading, *_ = done.stdout.splitlines()
    assert re.fullmatch(r"<!-- aces-ci:comment v1 key=default head=[0-9a-f]{40} -->", first)
    assert heading == "### ❌ aces-ci: blocked, 1 error in `parcel-quote`"
    assert "```diff\n-name: parcel_quote\n+name: parcel-quote\n```" in done.stdout
    assert "**Cost** · 0.00\u00a0USD" in done.stdout and "no network" in done.stdout
    told = done.stderr
    assert told.startswith("A catalogue of skills; a branch adds one skill and edits another; main has moved on.\n")
    assert f"aces-ci {__version__} · local · " in told
    assert "changed: log-triage (manifest), parcel-quote (manifest, scripts) · 1 file belongs to no skill" in told
    assert told.rstrip().endswith("next: aces-ci check     in a repository of yours")
    written = {path.name for path in (tmp_path / "aces-results").iterdir()}
    assert {"comment.md", "report.html", "report.json", "results.sarif", "junit.xml", ".gitignore"} <= written
    assert (tmp_path / "aces-results/comment.md").read_text("utf-8").rstrip() == done.stdout.rstrip()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("aces-ci che", {"check"}),
        ("aces-ci evals c", {"create"}),
        ("aces-ci check --prof", {"--profile"}),
        ("aces-ci check --profile s", {"spec", "strict"}),
    ],
)
def test_the_shell_completes_commands_options_and_words(line: str, offered: set[str], tmp_path: Path) -> None:
    words = len(line.split()) - 1
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(words), "_ACES_CI_COMPLETE": "bash_complete"}
    done = aces(cwd=tmp_path, **asked)
    assert {row.partition(",")[2] for row in done.stdout.split()} == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_by_the_variable_that_is_answered(shell: str, tmp_path: Path) -> None:
    assert f"_ACES_CI_COMPLETE={shell}_complete" in aces("completion", shell, cwd=tmp_path).stdout
