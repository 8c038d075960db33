"""One hostile skill costs the others nothing, and never passes by breaking what reads it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from aces_ci.jobs.run import Options, run
from tests.git_history import History, skill

GOOD = skill("log-triage", "1. List the files once.\n2. Read the newest first.\n")
UTF16 = "---\nname: wide\ndescription: Saved by a shell. Use when asked.\n---\n# wide\n".encode("utf-16")
SURROGATE = '---\nname: half\ndescription: "x \\uD800 Use when asked."\n---\n# half\n'


def ran(tmp_path: Path, files: dict[str, Any]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code, and skills by path."""
    history = History(tmp_path / "origin")
    base = history.commit("main", {"README.md": "hello"})
    history.commit("work", files, base)
    options = Options(repo=history.path, base="main", head="work", output=tmp_path / "out", post=False)
    code = run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    return code, {row["change"]["path"]: row for row in report["skills"]}


@pytest.mark.parametrize(("name", "text"), [("wide", UTF16), ("half", SURROGATE)])
def test_a_manifest_that_no_agent_can_read_is_a_located_error_beside_a_checked_neighbour(
    tmp_path: Path, name: str, text: str | bytes
) -> None:
    files = {f"skills/{name}/SKILL.md": text, "skills/log-triage/SKILL.md": GOOD}
    code, skills = ran(tmp_path, files)
    assert code == 1
    assert skills["skills/log-triage"]["structure"]["score"] > 0
    errors = [row["code"] for row in skills[f"skills/{name}"]["findings"] if row["severity"] == "error"]
    assert errors
    assert all("fault of aces-ci" not in row["message"] for row in skills[f"skills/{name}"]["findings"])


def test_a_skill_that_kills_its_reader_is_blocked_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The child's user is nobody: it must be able to reach the program.
    fake = Path(tempfile.mkdtemp(prefix="aces-fragile-"))
    fake.chmod(0o755)
    program = (
        "import sys\nfrom aces_ci import untrusted\n"
        "real = untrusted.answer\n"
        "def answer(asked):\n"
        "    root = asked.after.root if isinstance(asked, untrusted.Request) else ''\n"
        "    if root == 'skills/bomb':\n"
        "        import os; os._exit(9)\n"
        "    if root == 'skills/bug':\n"
        "        raise ZeroDivisionError('x')\n"
        "    return real(asked)\n"
        "untrusted.answer = answer\nuntrusted.main()\n"
    )
    (fake / "fragile.py").write_text(program, encoding="utf-8")
    flags = ("-c", f"import sys; sys.path.insert(0, {str(fake)!r}); import fragile")
    monkeypatch.setattr("aces_ci.shell.zygote.FLAGS", flags)
    files = {f"skills/{name}/SKILL.md": skill(name) for name in ("bomb", "bug", "last")}
    code, skills = ran(tmp_path, files)
    assert code == 1
    for name in ("bomb", "bug"):
        (finding,) = skills[f"skills/{name}"]["findings"]
        assert "fault of aces-ci" in finding["message"]
        assert skills[f"skills/{name}"]["structure"]["score"] is None
    assert skills["skills/last"]["structure"]["conformant"] is True


def test_an_output_folder_above_the_working_directory_is_written(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "aces_ci", "demo", "--output", "../out"], cwd=inside, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "comment.md").is_file()


def test_a_bug_and_bare_help_keep_their_forms(tmp_path: Path) -> None:
    bare = subprocess.run([sys.executable, "-m", "aces_ci"], capture_output=True, text=True, check=False)
    assert bare.returncode == 2
    assert bare.stderr.startswith("Usage:")
