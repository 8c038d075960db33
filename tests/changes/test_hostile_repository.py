"""Reading a repository runs nothing that its contents or its configuration name."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.changes.load import load
from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind
from tests.git_history import ENVIRONMENT, History, Link, Script, Submodule, git, skill


def _booby_trapped(tmp_path: Path) -> tuple[Path, Path, str, str]:
    """A checkout whose content and configuration would all write `canary` if git were let."""
    canary = tmp_path / "canary"
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n', "utf-8")
    trap.chmod(0o755)
    bare = {
        "skills/bare/HEAD": "ref: refs/heads/main\n",
        "skills/bare/config": f'[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\tfsmonitor = "{trap}"\n',
        "skills/bare/objects/.keep": "",
        "skills/bare/refs/.keep": "",
        "skills/bare/SKILL.md": skill("bare"),
        ".gitattributes": "* diff=evil filter=evil merge=evil\n",
    }
    history = History(tmp_path / "repo", bare=False)
    base = history.commit("main", bare)
    head = history.commit("main", {"skills/bare/SKILL.md": skill("bare", "more"), "skills/bare/run.sh": Script("x")})
    checkout = history.path
    git(checkout, "reset", "--quiet", "--hard", head)
    for key in ("core.fsmonitor", "core.pager", "core.editor", "diff.external", "core.sshCommand",
                "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge",
                "filter.evil.process", "credential.helper", "core.alternateRefsCommand",
                "uploadpack.packObjectsHook"):  # fmt: skip
        git(checkout, "config", key, str(trap))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        shutil.copy(trap, hooks / name)
        shutil.copy(trap, checkout / ".git/hooks" / name)
    git(checkout, "config", "core.hooksPath", str(hooks))
    return checkout, canary, base, head


def test_a_booby_trapped_checkout_runs_nothing(tmp_path: Path) -> None:
    checkout, canary, base, head = _booby_trapped(tmp_path)
    subprocess.run(["git", "status"], cwd=checkout, env=ENVIRONMENT, check=False, capture_output=True)
    assert canary.exists(), "control: plain git does step into the trap"
    canary.unlink()
    with Repository.open(checkout / "skills/bare") as repository:
        assert repository.top == checkout, "a folder shaped like a bare repository is content"
        found = load(repository, compare(repository, base, head))
        assert repository.file_at(head, "skills/bare/SKILL.md")
        assert repository.default_branch_tip() == head
    assert [change.path for change in found.skills] == ["skills/bare"]
    assert not canary.exists(), canary.read_text("utf-8")


@pytest.mark.parametrize("url", ["ext::touch {canary}", "trap://x", "--upload-pack=touch {canary}"])
def test_a_remote_that_is_a_command_is_refused_while_deepening(url: str, tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    base = history.commit("main", {"a": "1"})
    history.commits("main", [{"a": str(n)} for n in range(5)])
    head = history.commit("topic", {"a": "2"}, parent=base)
    tip = history.tip("main")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{history.path}", str(clone))
    canary = tmp_path / "canary"
    git(clone, "config", "remote.origin.url", url.format(canary=canary))
    git(clone, "config", f"url.ext::touch {canary} .insteadOf", "trap://x")
    git(clone, "config", "protocol.ext.allow", "always")
    with Repository.open(clone) as repository, pytest.raises(UsageError, match="cannot find where"):
        repository.merge_base(tip, head)
    assert not canary.exists()


def test_deepening_runs_no_hook(tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    fork = history.commit("main", {"a": "1"})
    base = history.commits("main", [{"a": str(n)} for n in range(5)])[-1]
    head = history.commit("topic", {"a": "2"}, parent=fork)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{history.path}", str(clone))
    hook = clone / ".git/hooks/reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\n", "utf-8")
    hook.chmod(0o755)
    with Repository.open(clone) as repository:
        assert repository.merge_base(base, head) == fork
    assert not (tmp_path / "canary").exists()


def test_the_environment_of_the_job_does_not_reach_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, canary, base, head = _booby_trapped(tmp_path)
    trap = str(tmp_path / "trap.sh")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\tfsmonitor = {trap}\n", "utf-8")
    for name, value in {
        "HOME": str(home), "GIT_DIR": str(tmp_path / "elsewhere"), "GIT_EXTERNAL_DIFF": trap,
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'", "GIT_WORK_TREE": "/", "GIT_PAGER": trap, "GIT_TRACE": trap,
        "GIT_OBJECT_DIRECTORY": str(tmp_path), "GIT_NAMESPACE": "x", "GIT_EXEC_PATH": str(tmp_path),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with Repository.open(checkout) as repository:
        assert [change.path for change in compare(repository, base, head).skills] == ["skills/bare"]
    assert not canary.exists()
    assert sorted(path.name for path in home.iterdir()) == [".gitconfig"]


def test_a_checkout_of_another_user_is_read_without_touching_anyones_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "repo", bare=False)
    base = history.commit("main", {"skills/a/SKILL.md": skill("a")})
    head = history.commit("main", {"skills/a/SKILL.md": skill("a", "more")})
    programs = tmp_path / "bin"
    programs.mkdir()
    # git's own switch for its tests: every directory counts as somebody else's.
    (programs / "git").write_text(
        f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n', "utf-8"
    )
    (programs / "git").chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    control = subprocess.run(["git", "log"], cwd=history.path, check=False, capture_output=True)
    assert b"dubious ownership" in control.stderr, "control: plain git refuses"
    with Repository.open(history.path) as repository:
        found = compare(repository, base, head)
    assert [change.path for change in found.skills] == ["skills/a"]
    assert list(home.iterdir()) == []
    assert "safe" not in (history.path / ".git/config").read_text("utf-8")


def test_links_submodules_and_pointers_are_named_and_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("top secret", "utf-8")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
    history = History(tmp_path / "repo.git")
    base = history.commit("main", {"x": "1"})
    head = history.commit(
        "main",
        {
            "skills/a/SKILL.md": skill("a"),
            "skills/a/assets/leak": Link(str(secret)),
            "skills/a/assets/up": Link("../../../.."),
            "skills/a/vendor": Submodule(),
            "skills/a/assets/big.bin": pointer,
            "skills/a/assets/huge.bin": b"\0" * (2 * 1024 * 1024),
            "skills/a/scripts/run.sh": Script("echo hi\n"),
            "skills/linked/SKILL.md": Link("../a/SKILL.md"),
            ".claude/skills/a": Link("../../skills/a"),
        },
    )
    with Repository.open(history.path) as repository:
        found = load(repository, compare(repository, base, head))
    by_path = {change.path: change.after for change in found.skills}
    assert set(by_path) == {"skills/a", "skills/linked"}
    assert found.unowned == (".claude/skills/a",)
    a, linked = by_path["skills/a"], by_path["skills/linked"]
    assert a is not None and linked is not None
    kinds = {path: (file.kind, file.data is None) for path, file in a.files.items()}
    assert kinds == {
        "SKILL.md": (FileKind.REGULAR, False),
        "assets/leak": (FileKind.SYMLINK, True),
        "assets/up": (FileKind.SYMLINK, True),
        "assets/big.bin": (FileKind.LFS, True),
        "assets/huge.bin": (FileKind.OVERSIZE, True),
        "scripts/run.sh": (FileKind.EXECUTABLE, False),
        "vendor": (FileKind.SUBMODULE, True),
    }
    assert linked.text == "", "a manifest that is a link is seen, and not read through"
    assert linked.problems
