"""Odd names: each survives the way from git to JSON, one to one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.changes.load import skill_at
from aces_ci.changes.tree import parse_tree
from aces_ci.changes.worktree import search
from aces_ci.core.repo_path import ancestors_of, bytes_of, resolve, text_of
from tests.git_history import Content, History, git, skill

NAMES = {
    b"with space": "with space",
    b'quo"te': 'quo"te',
    b"it's": "it's",
    b"back\\slash": "back\\slash",
    b"new\nline": "new%0Aline",
    b"tab\there": "tab%09here",
    b"esc\x1b[31m": "esc%1B[31m",
    b"del\x7f": "del%7F",
    b"c1\xc2\x9bx": "c1%C2%9Bx",
    b"latin\xe9": "latin%E9",
    "über-日本".encode(): "über-日本",
    "narrow\u202fspace".encode(): "narrow\u202fspace",
    b"100%": "100%",
    b"a%20b": "a%20b",
    b"new%0Aline": "new%250Aline",
    b"-rf": "-rf",
    b":(top)x": ":(top)x",
    b"*?[": "*?[",
    b"skill.md.d": "skill.md.d",
}


def test_odd_names_of_skills_and_files_come_out_as_the_contract_says(tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    base = history.commit("main", {"README.md": "1"})
    files: dict[str | bytes, Content] = {}
    for name in NAMES:
        files[b"skills/" + name + b"/SKILL.md"] = skill("x")
        files[b"skills/" + name + b"/" + name] = b"content of " + name
    head = history.commit("main", files)
    with Repository.open(history.path) as repository:
        found = compare(repository, base, head)
        assert {change.path for change in found.skills} == {f"skills/{text}" for text in NAMES.values()}
        for raw, text in NAMES.items():
            read = skill_at(repository, head, f"skills/{text}")
            assert read is not None
            assert read.files[text].data == b"content of " + raw
    git(tmp_path, "clone", "--quiet", str(history.path), "checkout")
    on_disk = search(tmp_path / "checkout", [])
    assert {found.root for found in on_disk.found} == {f"skills/{text}" for text in NAMES.values()}


def test_a_file_named_like_an_encoded_one_does_not_hide_it(tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    head = history.commit("main", {"s/SKILL.md": skill("s"), b"s/a\nb": "harmless", b"s/a%0Ab": "hidden"})
    with Repository.open(history.path) as repository:
        read = skill_at(repository, head, "s")
    assert read is not None
    assert {file.data for path, file in read.files.items() if path != "SKILL.md"} == {b"harmless", b"hidden"}


@given(st.lists(st.binary(min_size=1, max_size=12), min_size=2, max_size=2))
def test_paths_are_one_to_one_printable_text(pair: list[bytes]) -> None:
    first, second = pair
    assert bytes_of(text_of(first)) == first
    assert (text_of(first) == text_of(second)) == (first == second)
    text_of(first).encode("utf-8")
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in text_of(first))


def test_a_tree_entry_that_could_leave_its_folder_is_dropped() -> None:
    rows = [b"..", b".", b".GIT", b"a/b", b"", b"fine"]
    raw = b"".join(b"100644 " + name + b"\0" + bytes(20) for name in rows)
    assert set(parse_tree(raw, 20)) == {"fine"}


@pytest.mark.parametrize(
    ("folder", "target", "path"),
    [
        ("skills/a", "../../shared/x.md", "shared/x.md"),
        ("skills/a", "../../../etc/passwd", None),
        (".", "./docs//x.md", "docs/x.md"),
        ("a", "..", "."),
    ],
)
def test_where_a_relative_path_points(folder: str, target: str, path: str | None) -> None:
    assert resolve(folder, target) == path


def test_the_folders_above_a_path() -> None:
    assert ancestors_of("a/b/c") == ("a/b", "a", ".")
    assert ancestors_of("a") == (".",)
    assert ancestors_of(".") == ()
