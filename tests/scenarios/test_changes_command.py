"""`aces-ci changes` as a user runs it: one process, stdout, stderr, exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.git_history import History, git, skill


def _run(*args: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aces_ci", "changes", *args],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=60,
        text=True,
        encoding="utf-8",
    )


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A topic with a renamed, an added and a deleted skill, on a main that moved on."""
    made = History(tmp_path / "repo", bare=False)
    text = "\n".join(f"Line {number}." for number in range(30))
    fork = made.commit(
        "main",
        {
            "skills/a/SKILL.md": skill("a", text), "skills/gone/SKILL.md": skill("gone", "Counts what is left.\n" * 9),
            "skills/shares/SKILL.md": skill("shares", "[r](../../shared/r.md)"), "shared/r.md": "1", "README.md": "1",
        },
    )  # fmt: skip
    made.commit(
        "topic",
        {
            "skills/a/SKILL.md": None, "skills/moved/SKILL.md": skill("moved", text),
            "skills/gone/SKILL.md": None, "shared/r.md": "2", "README.md": "2",
            "skills/new/SKILL.md": skill("new", "Asks first.\n" * 20), b"skills/new/evals/caf\xe9\n.json": "{}",
        },
        parent=fork,
    )  # fmt: skip
    made.commit("main", {"skills/elsewhere/SKILL.md": skill("elsewhere")})
    git(made.path, "checkout", "--quiet", "--force", "topic")
    return made


def test_the_json_document_is_the_contract(history: History) -> None:
    done = _run("--base", "main", "--head", "topic", "--format", "json", cwd=history.path)
    assert (done.returncode, done.stderr) == (0, "")
    own = {"kind": "own_file"}
    assert json.loads(done.stdout) == {
        "schema_version": 1,
        "merge_base": git(history.path, "merge-base", "main", "topic"),
        "head": history.tip("topic"),
        "skills": [
            {
                "path": "skills/gone", "name": "gone", "change": "deleted", "previous_path": None,
                "parts": ["manifest"], "files": ["skills/gone/SKILL.md"],
                "because": own | {"path": "skills/gone/SKILL.md"},
            },
            {
                "path": "skills/moved", "name": "moved", "change": "renamed", "previous_path": "skills/a",
                "parts": ["manifest"], "files": ["skills/a/SKILL.md", "skills/moved/SKILL.md"],
                "because": own | {"path": "skills/moved/SKILL.md"},
            },
            {
                "path": "skills/new", "name": "new", "change": "added", "previous_path": None,
                "parts": ["manifest", "evals"],
                "files": ["skills/new/SKILL.md", "skills/new/evals/caf%E9%0A.json"],
                "because": own | {"path": "skills/new/SKILL.md"},
            },
            {
                "path": "skills/shares", "name": "shares", "change": "modified", "previous_path": None,
                "parts": ["other"], "files": ["shared/r.md"],
                "because": {"kind": "shared_file", "path": "shared/r.md"},
            },
        ],
        "unowned": ["README.md"],
    }  # fmt: skip


def test_the_text_says_the_same_for_a_person(history: History) -> None:
    done = _run("--base", "main", "-C", str(history.path), cwd=history.path.parent)
    base, head = git(history.path, "merge-base", "main", "topic")[:7], history.tip("topic")[:7]
    assert done.stdout == (
        f"base {base} (merge base with main) · head {head}\n"
        "deleted   skills/gone · manifest · 1 file\n"
        "renamed   skills/moved (was skills/a) · manifest · 2 files\n"
        "added     skills/new · manifest, evals · 2 files\n"
        "modified  skills/shares · other · 1 file · shared file shared/r.md\n"
        "1 changed file belongs to no skill\n"
    )


def test_nothing_changed_is_said(history: History) -> None:
    done = _run("--base", "main", "--head", "main", cwd=history.path)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["no skill changed"])


@pytest.mark.parametrize(
    ("args", "code"),
    [(("--base", "nope"), "unknown_ref"), (("--base", "main", "--head", "nope"), "unknown_ref")],
)
def test_an_unknown_ref_is_exit_2_in_both_forms(args: tuple[str, ...], code: str, history: History) -> None:
    done = _run(*args, "--format", "json", cwd=history.path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == code
    assert done.stderr.startswith("error: `nope` names no commit in this repository\n  at:  ")
    assert "\n  why: " in done.stderr and "\n  do:  " in done.stderr


def test_no_repository_is_exit_2(tmp_path: Path) -> None:
    done = _run("--base", "main", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {tmp_path} is not in a git repository\n"
        "  why: `changes` compares two commits; there is no .git here or above\n"
        f"  do:  check without history:   aces-ci check {tmp_path}\n"
    )


def test_a_name_cannot_give_orders_to_the_runner(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    base = history.commit("main", {"x": "1"})
    history.commit("main", {"s/##[add-mask]a/SKILL.md": skill("x"), "::set-output name=x::y/SKILL.md": skill("y")})
    for style in ("text", "json"):
        done = _run("--base", base, "--head", "main", "--format", style, cwd=history.path)
        assert done.returncode == 0
        assert "##[" not in done.stdout
        assert not any(row.lstrip().startswith("::") for row in done.stdout.splitlines())
    assert {row["path"] for row in json.loads(done.stdout)["skills"]} == {
        "s/##[add-mask]a",
        "::set-output name=x::y",
    }


def test_it_needs_no_utf8_locale(history: History) -> None:
    args = ("--base", "main", "--format", "json")
    plain = _run(*args, cwd=history.path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert plain.stdout == _run(*args, cwd=history.path).stdout
