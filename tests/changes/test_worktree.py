"""Skills on disk, found without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aces_ci.changes.worktree import find, search
from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind
from tests.git_history import git, skill


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with two skills, one nested, a library, and links that lead out."""
    top = tmp_path / "repo"
    for path, text in {
        "skills/a/SKILL.md": skill("a", "[x](../../shared/x.md) and [gone](../../shared/gone.md)"),
        "skills/a/scripts/run.sh": "echo",
        "skills/a/inner/SKILL.md": skill("inner"),
        "skills/b/SKILL.md": skill("b"),
        "shared/x.md": "x",
        "node_modules/c/SKILL.md": skill("c"),
        "docs/readme.md": "x",
    }.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, "utf-8")
    git(top, "init", "--quiet")
    return top


def _roots(root: Path, *paths: str | Path) -> list[str]:
    return [path for path, _ in find(root, paths)]


def test_every_skill_below_is_found_once_and_libraries_are_not_searched(checkout: Path) -> None:
    result = search(checkout, [])
    assert [found.root for found in result.found] == ["skills/a", "skills/a/inner", "skills/b"]
    assert result.folders == 8
    assert set(result.found[0].files) == {"SKILL.md", "scripts/run.sh"}
    assert result.found[0].outside == {"shared/x.md"}
    assert result.found[0].skill().name == "a"


@pytest.mark.parametrize(
    ("paths", "roots"),
    [
        (["skills/a/scripts/run.sh"], ["skills/a"]),
        (["skills/a/SKILL.md", "skills/a/scripts/run.sh", "skills/a/scripts"], ["skills/a"]),
        (["skills/a/inner"], ["skills/a/inner"]),
        (["skills/a"], ["skills/a", "skills/a/inner"]),
        (["docs/readme.md"], []),
        (["docs/readme.md", "skills/b/SKILL.md"], ["skills/b"]),
        (["."], ["skills/a", "skills/a/inner", "skills/b"]),
    ],
)
def test_a_path_selects_the_skill_it_lies_in(paths: list[str], roots: list[str], checkout: Path) -> None:
    assert _roots(checkout, *paths) == roots


@pytest.mark.parametrize(
    ("manifests", "owned"),
    [
        # Inside a skill with a rightly spelt manifest a skill.md is a document of it.
        (("x/SKILL.md", "x/scripts/skill.md"), {"x": {"SKILL.md", "scripts/skill.md", "scripts/run.sh"}}),
        # A misspelt one does not own another; a root skill owns no folder that is a skill, however that one is spelt.
        (("x/skill.md", "x/scripts/skill.md"), {"x": {"skill.md"}, "x/scripts": {"skill.md", "run.sh"}}),
        (("SKILL.md", "scripts/skill.md"), {".": {"SKILL.md"}, "scripts": {"skill.md", "run.sh"}}),
    ],
)
def test_whose_a_folder_with_a_misspelt_manifest_is(
    manifests: tuple[str, str], owned: dict[str, set[str]], tmp_path: Path
) -> None:
    for path in manifests:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(skill("x"), "utf-8")
    (tmp_path / manifests[1]).with_name("run.sh").write_text("echo", "utf-8")
    git(tmp_path, "init", "--quiet")
    assert {found.root: set(found.files) for found in search(tmp_path, []).found} == owned


def test_paths_are_named_from_the_checkout_wherever_the_command_stands(checkout: Path) -> None:
    assert _roots(checkout / "skills/b") == ["skills/b"]
    assert _roots(checkout / "skills/a/scripts", "run.sh") == ["skills/a"]
    assert _roots(checkout, checkout / "skills/b/SKILL.md") == ["skills/b"]


def test_a_missing_path_is_an_error(checkout: Path) -> None:
    with pytest.raises(UsageError) as caught:
        search(checkout, ["skills/nope/SKILL.md"])
    assert (caught.value.exit_code, caught.value.code) == (2, "missing_path")


def test_a_name_means_the_skill_that_bears_it_wherever_no_path_does(checkout: Path) -> None:
    (checkout / "skills/b/SKILL.md").write_text(skill("bee"), "utf-8")
    (checkout / "b").mkdir()
    assert _roots(checkout, "inner") == ["skills/a/inner"]
    assert _roots(checkout, "bee") == _roots(checkout, "b") == ["skills/b"], "by manifest, and past an empty folder"
    assert _roots(checkout / "skills/b", "bee") == ["skills/b"]
    assert _roots(checkout, "a", "skills/b") == ["skills/a", "skills/b"], "a name is one skill, a folder all in it"


def test_a_name_that_no_skill_bears_is_answered_with_those_that_are_here_and_one_of_several_with_both(
    checkout: Path,
) -> None:
    with pytest.raises(UsageError, match="mine does not exist") as caught:
        search(checkout, ["mine"])
    assert caught.value.code == "missing_path"
    here = "correct the path, or name a skill that is here: skills/a, skills/a/inner, skills/b"
    assert caught.value.do == here
    (checkout / "more/b").mkdir(parents=True)
    (checkout / "more/b/SKILL.md").write_text(skill("b"), "utf-8")
    with pytest.raises(UsageError, match="b is the name of 2 skills: more/b, skills/b"):
        search(checkout, ["b"])


def test_a_named_folder_without_a_skill_is_an_error_but_an_unnamed_one_is_not(checkout: Path) -> None:
    with pytest.raises(UsageError, match=r"no SKILL\.md below .*docs \(searched 1 folder\)"):
        search(checkout, ["docs"])
    assert search(checkout / "docs", []).found == ()


def test_outside_a_repository_the_folders_name_is_still_known(tmp_path: Path) -> None:
    (tmp_path / "only").mkdir()
    (tmp_path / "only/SKILL.md").write_text(skill("only"), "utf-8")
    assert _roots(tmp_path / "only") == ["only"]
    assert _roots(tmp_path, "only") == ["only"]


def test_the_root_skill_of_a_checkout_owns_only_its_own(checkout: Path) -> None:
    (checkout / "SKILL.md").write_text(skill("whole", "[d](docs/readme.md)"), "utf-8")
    assert _roots(checkout, "docs/readme.md") == ["."]
    assert _roots(checkout, "shared/x.md") == []
    whole = next(found for found in search(checkout, ["."]).found if found.root == ".")
    assert set(whole.files) == {"SKILL.md", "docs/readme.md"}


def test_links_pipes_and_long_files_are_not_read(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", "utf-8")
    skill_b = checkout / "skills/b"
    (skill_b / "leak.md").symlink_to(tmp_path / "secret")
    (skill_b / "loop").symlink_to(skill_b)
    (checkout / "skills/linked").symlink_to(skill_b)
    (checkout / "skills/a/inner/SKILL.md").unlink()
    (checkout / "skills/a/inner/SKILL.md").symlink_to(tmp_path / "secret")
    (skill_b / "huge").write_bytes(bytes(2 * 1024 * 1024))
    os.mkfifo(skill_b / "pipe")
    result = {found.root: found for found in search(checkout, []).found}
    assert sorted(result) == ["skills/a", "skills/a/inner", "skills/b"]
    kinds = {path: (file.kind, file.data is None) for path, file in result["skills/b"].files.items()}
    assert kinds == {
        "SKILL.md": (FileKind.REGULAR, False),
        "leak.md": (FileKind.SYMLINK, True),
        "loop": (FileKind.SYMLINK, True),
        "huge": (FileKind.OVERSIZE, True),
    }
    assert "secret" not in result["skills/a/inner"].skill().text


def test_a_tree_of_endless_depth_is_left_at_some_point(checkout: Path) -> None:
    deep = checkout / "skills/b"
    for _ in range(80):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "SKILL.md").write_text(skill("deep"), "utf-8")
    assert _roots(checkout, "skills/b") == ["skills/b"]


def test_the_folder_to_start_from_is_taken_once(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert _roots(Path("skills")) == ["skills/a", "skills/a/inner", "skills/b"]
    assert _roots(Path("skills"), "b/SKILL.md") == ["skills/b"]
    monkeypatch.chdir(checkout / "skills/b")
    assert _roots(Path("..")) == ["skills/a", "skills/a/inner", "skills/b"]


def test_a_named_link_is_not_followed(checkout: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    (away / "inner").mkdir(parents=True)
    (away / "SKILL.md").write_text(skill("away"), "utf-8")
    (away / "inner/SKILL.md").write_text(skill("inner"), "utf-8")
    (checkout / "skills/symdir").symlink_to(away)
    for named in ("skills/symdir", "skills/symdir/", "skills/symdir/SKILL.md", "skills/symdir/inner"):
        with pytest.raises(UsageError, match=r"skills/symdir is a link") as caught:
            search(checkout, [named])
        assert (caught.value.code, caught.value.exit_code) == ("linked_path", 2)
    assert [root for root in _roots(checkout) if "symdir" in root] == []


def test_a_link_above_the_folder_to_start_from_is_the_callers_own(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(checkout)
    assert _roots(tmp_path / "short", "skills/b") == ["skills/b"]
    assert _roots(checkout, tmp_path / "short/skills/b") == ["skills/b"]


def test_what_we_wrote_ourselves_is_not_searched(checkout: Path) -> None:
    for folder in ("aces-results/refined", "mine/trials/x", "evidence/x"):
        (checkout / folder).mkdir(parents=True)
        (checkout / folder / "SKILL.md").write_text(skill("copy"), "utf-8")
    (checkout / "aces-results/evidence.jsonl").write_text("", "utf-8")
    (checkout / "mine/evidence.jsonl").write_text("", "utf-8")
    (checkout / "mine/.gitignore").write_text("*\n", "utf-8")
    (checkout / "evidence/evidence.jsonl").write_text("", "utf-8")
    assert _roots(checkout, "mine/trials/x") == ["mine/trials/x"]
    assert _roots(checkout) == ["evidence/x", "skills/a", "skills/a/inner", "skills/b"]
