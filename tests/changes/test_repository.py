"""Opening repositories, names of commits, and the merge base in whole and in cut-off histories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.core.errors import UsageError
from tests.git_history import Files, History, git, skill


def _numbered(count: int, start: int = 0) -> list[Files]:
    return [{"log.txt": f"{number}\n"} for number in range(start, start + count)]


@pytest.fixture
def behind(tmp_path: Path) -> tuple[History, str, str, str]:
    """A main that moved on by 200 commits after a branch left it: history, fork point, base, head."""
    history = History(tmp_path / "origin.git")
    history.commit("main", {"skills/a/SKILL.md": skill("a"), "skills/b/SKILL.md": skill("b")})
    fork = history.commits("main", _numbered(99))[-1]
    head = history.commit("topic", {"skills/a/SKILL.md": skill("a", "more")}, parent=fork)
    base = history.commits("main", [{"skills/b/SKILL.md": skill("b", "other")}, *_numbered(199, 100)])[-1]
    git(history.path, "update-ref", "refs/pull/1/merge", history.merge("merged", base, head))
    return history, fork, base, head


def _shallow(history: History, to: Path, *flags: str, ref: str = "topic") -> Path:
    git(to.parent, "clone", "--quiet", "--depth=1", *flags, "--branch", ref, f"file://{history.path}", str(to))
    return to


def test_a_shallow_clone_is_deepened_until_the_merge_base_is_certain(
    behind: tuple[History, str, str, str], tmp_path: Path
) -> None:
    history, fork, base, head = behind
    clone = _shallow(history, tmp_path / "clone")
    with Repository.open(clone) as repository:
        assert repository.resolve("origin/main") == base
        assert repository.resolve("HEAD") == head
        found = compare(repository, base, head)
    assert found.merge_base == fork
    assert [(c.path, c.files) for c in found.skills] == [("skills/a", ("skills/a/SKILL.md",))]
    assert git(clone, "rev-parse", "HEAD") == head, "the checkout stays where it was"
    assert not (clone / ".git/FETCH_HEAD").exists()


def test_deepening_stops_at_the_first_step_that_settles_it(tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    fork = history.commits("main", _numbered(500))[-20]
    base = history.tip("main")
    head = history.commit("topic", {"skills/a/SKILL.md": skill("a")}, parent=fork)
    clone = _shallow(history, tmp_path / "clone")
    with Repository.open(clone) as repository:
        assert repository.merge_base(repository.resolve("origin/main"), head) == fork
        assert repository.shallow
    assert int(git(clone, "rev-list", "--count", base)) < 100


def test_a_merge_of_the_change_request_finds_both_sides(behind: tuple[History, str, str, str], tmp_path: Path) -> None:
    history, _, base, head = behind
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet")
    git(clone, "remote", "add", "origin", f"file://{history.path}")
    git(clone, "fetch", "--quiet", "--depth=1", "origin", "refs/pull/1/merge")
    git(clone, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    with Repository.open(clone) as repository:
        found = compare(repository, repository.resolve(base), repository.resolve(head), "main")
    assert [change.path for change in found.skills] == ["skills/a"]


def test_an_older_merge_base_behind_a_cut_is_not_believed(tmp_path: Path) -> None:
    """Both sides name an old commit as a parent; with a cut in front of the fork only that is in common."""
    history = History(tmp_path / "origin.git")
    old = history.commit("main", {"skills/a/SKILL.md": skill("a")})
    fork = history.commits("main", _numbered(120))[-1]
    grown = history.commits("main", _numbered(60, 200))[-1]
    base = history.merge("main", grown, old)
    topic = history.commits("topic", _numbered(60, 400), parent=fork)[-1]
    head = history.merge("topic", topic, old)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=3", "--no-single-branch", f"file://{history.path}", str(clone))
    assert git(clone, "merge-base", base, head) == old, "git itself is fooled"
    with Repository.open(clone) as repository:
        assert repository.merge_base(base, head) == git(history.path, "merge-base", base, head) == fork


def test_a_complete_clone_stays_complete_and_is_not_fetched_into(
    behind: tuple[History, str, str, str], tmp_path: Path
) -> None:
    history, fork, base, head = behind
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", f"file://{history.path}", str(clone))
    newer = history.commit("main", {"log.txt": "newer\n"})
    with Repository.open(clone) as repository:
        assert repository.merge_base(base, head) == fork
        with pytest.raises(UsageError, match="names no commit"):
            repository.resolve(newer)
    assert git(clone, "rev-parse", "--is-shallow-repository") == "false"
    assert git(clone, "rev-parse", "origin/main") == base


def test_an_unreachable_remote_is_one_error_that_names_the_setting(
    behind: tuple[History, str, str, str], tmp_path: Path
) -> None:
    history, _, base, head = behind
    clone = _shallow(history, tmp_path / "clone", "--no-single-branch")
    shutil.rmtree(history.path)
    with Repository.open(clone) as repository, pytest.raises(UsageError) as caught:
        compare(repository, base, head, "main")
    error = caught.value
    assert error.exit_code == 2
    assert error.text() == (
        "error: cannot find where this branch left main: only 1 commit was fetched\n"
        f"  at:  {clone} (shallow clone; tried 50, 200, all: origin did not answer, no repository there)\n"
        "  why: without the merge base, changes of other people would count as yours\n"
        '  do:  actions/checkout with `fetch-depth: 0`      GitLab: GIT_DEPTH: "0"'
    )


def test_a_shallow_clone_without_a_remote_says_so(behind: tuple[History, str, str, str], tmp_path: Path) -> None:
    history, _, base, head = behind
    clone = _shallow(history, tmp_path / "clone", "--no-single-branch")
    git(clone, "remote", "remove", "origin")
    with Repository.open(clone) as repository, pytest.raises(UsageError) as caught:
        repository.merge_base(base, head, "main")
    assert str(caught.value.at).endswith("(shallow clone; there is no remote to ask)")


def test_the_token_in_a_remote_address_is_never_shown(behind: tuple[History, str, str, str], tmp_path: Path) -> None:
    history, _, base, head = behind
    clone = _shallow(history, tmp_path / "clone", "--no-single-branch")
    git(clone, "remote", "set-url", "origin", "http://x-access-token:ghs_secret@127.0.0.1:9/r.git")
    with Repository.open(clone) as repository, pytest.raises(UsageError) as caught:
        repository.merge_base(base, head, "main")
    assert "ghs_secret" not in caught.value.text()
    assert "127.0.0.1" not in caught.value.text()


def test_histories_with_nothing_in_common_are_an_error(tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    one = history.commit("main", {"a": "1"})
    two = history.commit("island", {"b": "2"})
    with Repository.open(history.path) as repository, pytest.raises(UsageError) as caught:
        repository.merge_base(one, two, "main")
    assert caught.value.code == "no_merge_base"


def test_a_folder_outside_any_repository_is_an_error_in_our_words(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    folder.mkdir()
    with pytest.raises(UsageError) as caught:
        Repository.open(folder)
    assert caught.value.exit_code == 2
    assert caught.value.text() == (
        f"error: {folder} is not in a git repository\n"
        "  why: `run` compares two commits; there is no .git here or above\n"
        f"  do:  check without history:   aces-ci check {folder}"
    )


@pytest.mark.parametrize("ref", ["nope", "", "--upload-pack=touch x", "HEAD:skills", "a\nb", "-h", "f" * 40])
def test_a_name_of_no_commit_is_an_error_and_never_an_option(ref: str, tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    history.commit("main", {"skills/a/SKILL.md": skill("a")})
    with Repository.open(history.path) as repository, pytest.raises(UsageError) as caught:
        repository.resolve(ref)
    assert (caught.value.code, caught.value.exit_code) == ("unknown_ref", 2)


def test_a_branch_that_only_the_remote_has_is_found_by_its_short_name(tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    sha = history.commit("main", {"a": "1"})
    git(tmp_path, "clone", "--quiet", f"file://{history.path}", "clone")
    git(tmp_path / "clone", "checkout", "--quiet", "--detach")
    git(tmp_path / "clone", "branch", "--quiet", "-D", "main")
    with Repository.open(tmp_path / "clone") as repository:
        assert repository.resolve("main") == sha


def test_policy_is_read_from_the_default_branch_as_the_remote_has_it(tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    theirs = history.commit("main", {"aces.yml": "version: 1\n"})
    git(tmp_path, "clone", "--quiet", f"file://{history.path}", "clone")
    clone = tmp_path / "clone"
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "mine")
    with Repository.open(clone) as repository:
        assert repository.default_branch_tip() == theirs
        assert repository.default_branch_tip("main") == theirs
        assert repository.default_branch_tip("gone") is None
        assert repository.file_at(theirs, "aces.yml") == b"version: 1\n"
    git(clone, "remote", "remove", "origin")
    with Repository.open(clone) as repository:
        assert repository.default_branch_tip() == git(clone, "rev-parse", "main")


def test_the_default_branch_is_fetched_alone_into_a_shallow_clone(
    behind: tuple[History, str, str, str], tmp_path: Path
) -> None:
    history, _, base, _ = behind
    with Repository.open(_shallow(history, tmp_path / "clone")) as repository:
        assert repository.default_branch_tip("main") == base
        assert repository.file_at(base, "skills/b/SKILL.md") == skill("b", "other").encode()


def test_a_linked_worktree_is_the_same_repository(tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    sha = history.commit("main", {"skills/a/SKILL.md": skill("a")})
    git(history.path, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    with Repository.open(tmp_path / "tree/skills") as repository:
        assert repository.resolve("main") == sha
        assert repository.top == tmp_path / "tree"


def test_a_partial_clone_is_an_error_and_nothing_is_fetched_behind_our_back(tmp_path: Path) -> None:
    history = History(tmp_path / "origin.git")
    git(history.path, "config", "uploadpack.allowFilter", "true")
    base = history.commit("main", {"skills/a/SKILL.md": skill("a")})
    head = history.commit("main", {"skills/a/SKILL.md": skill("a", "more")})
    git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{history.path}", "partial")
    with Repository.open(tmp_path / "partial") as repository:
        assert [entry.new_path for entry in repository.diff(base, head)] == ["skills/a/SKILL.md"]
        with pytest.raises(UsageError) as caught:
            repository.file_at(head, "skills/a/SKILL.md")
    assert caught.value.code == "partial_clone"


def test_a_sha256_repository_is_read_too(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    git(folder, "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    (folder / "s").mkdir()
    (folder / "s/SKILL.md").write_text(skill("s"), "utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    (folder / "s/SKILL.md").write_text(skill("s", "more"), "utf-8")
    git(folder, "commit", "--quiet", "-a", "-m", "two")
    with Repository.open(folder) as repository:
        found = compare(repository, repository.resolve("HEAD^"), repository.resolve("HEAD"))
    assert [change.path for change in found.skills] == ["s"]


def test_what_a_commit_holds_is_told_from_what_only_lies_in_the_checkout(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    head = history.commit("main", {"out/evidence.jsonl": "x", "a b/\u00e9.txt": "x"})
    with Repository.open(history.path) as repository:
        top = repository.top.resolve()
        held = ["out", "out/evidence.jsonl", "a b/\u00e9.txt", "."]
        assert [repository.holds(head, top / name) for name in held] == [True] * 4
        for other in (top / "out/other", top / "ou", tmp_path / "elsewhere", top / "out/evidence.jsonl/x"):
            assert not repository.holds(head, other)
