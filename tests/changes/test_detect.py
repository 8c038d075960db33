"""Which skills a change touches: ownership, moves, shared files, plugins."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.changes.load import load, named
from aces_ci.core.change import BecauseKind, ChangeSet, How, Part, SkillChange
from tests.git_history import Content, Files, History, Link, Script, skill

LONG = "\n".join(f"Step {number} of the work." for number in range(40))


def _between(tmp_path: Path, before: Files, after: Files) -> ChangeSet:
    history = History(tmp_path / "r.git")
    base, head = history.commits("main", [before, after])
    with Repository.open(history.path) as repository:
        return load(repository, compare(repository, base, head))


def _only(found: ChangeSet) -> SkillChange:
    assert len(found.skills) == 1, [change.path for change in found.skills]
    return found.skills[0]


def _paths(found: ChangeSet) -> list[tuple[str, str]]:
    return [(change.how.value, change.path) for change in found.skills]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("SKILL.md", Part.MANIFEST),
        ("scripts/run.py", Part.SCRIPTS),
        ("references/deep/a.md", Part.REFERENCES),
        ("assets/a.png", Part.ASSETS),
        ("evals/evals.json", Part.EVALS),
        ("scripts", Part.OTHER),
        ("LICENSE.txt", Part.OTHER),
    ],
)
def test_a_changed_file_belongs_to_one_part(path: str, part: Part, tmp_path: Path) -> None:
    change = _only(_between(tmp_path, {"s/a/SKILL.md": skill("a")}, {f"s/a/{path}": "new"}))
    assert (change.how, change.path, change.name) == (How.MODIFIED, "s/a", "a")
    assert change.parts == (part,)
    assert change.files == (f"s/a/{path}",)
    assert (change.because.kind, change.because.path) == (BecauseKind.OWN_FILE, f"s/a/{path}")


def test_the_nearest_folder_with_a_manifest_owns_a_path(tmp_path: Path) -> None:
    before: Files = {"a/SKILL.md": skill("a"), "a/inner/SKILL.md": skill("inner"), "a/inner/x": "1", "a/y": "1"}
    found = _between(tmp_path, before, {"a/inner/x": "2"})
    assert _paths(found) == [("modified", "a/inner")]


def test_a_nested_skills_files_are_not_read_into_the_outer_one(tmp_path: Path) -> None:
    before: Files = {"a/SKILL.md": skill("a"), "a/inner/SKILL.md": skill("inner"), "a/inner/x": "1", "a/y": "1"}
    change = _only(_between(tmp_path, before, {"a/y": "2"}))
    assert change.after is not None and change.before is not None
    assert set(change.after.files) == {"SKILL.md", "y"}
    assert change.before.files["y"].data == b"1"


def test_a_new_manifest_takes_its_folder_out_of_the_outer_skill(tmp_path: Path) -> None:
    before: Files = {"a/SKILL.md": skill("a"), "a/inner/x": "1"}
    found = _between(tmp_path, before, {"a/inner/SKILL.md": skill("inner"), "a/inner/x": "2"})
    assert _paths(found) == [("added", "a/inner")]


def test_a_deleted_manifest_deletes_the_skill_even_where_files_stay(tmp_path: Path) -> None:
    before: Files = {"a/SKILL.md": skill("a"), "a/x": "1"}
    change = _only(_between(tmp_path, before, {"a/SKILL.md": None}))
    assert (change.how, change.path, change.name, change.after) == (How.DELETED, "a", "a", None)
    assert change.before is not None


def test_only_a_mode_change_is_a_change(tmp_path: Path) -> None:
    before: Files = {"a/SKILL.md": skill("a"), "a/scripts/x": "1"}
    assert _paths(_between(tmp_path, before, {"a/scripts/x": Script("1")})) == [("modified", "a")]


def test_an_unchanged_pair_of_commits_changes_nothing(tmp_path: Path) -> None:
    found = _between(tmp_path, {"a/SKILL.md": skill("a")}, {"a/SKILL.md": skill("a")})
    assert (found.skills, found.unowned) == ((), ())


class TestMoves:
    def test_a_moved_and_edited_skill_is_one_renamed_entry(self, tmp_path: Path) -> None:
        before: Files = {"old/a/SKILL.md": skill("a", LONG), "old/a/x.md": LONG}
        after: Files = {
            "old/a/SKILL.md": None, "old/a/x.md": None,
            "new/b/SKILL.md": skill("b", LONG + "\nOne more."), "new/b/x.md": LONG, "new/b/extra": "1",
        }  # fmt: skip
        change = _only(_between(tmp_path, before, after))
        assert (change.how, change.path, change.previous_path, change.name) == (How.RENAMED, "new/b", "old/a", "b")
        assert change.files == ("new/b/SKILL.md", "new/b/extra", "new/b/x.md", "old/a/SKILL.md", "old/a/x.md")
        assert change.because.path == "new/b/SKILL.md"
        assert change.before is not None and change.after is not None
        assert (change.before.root, change.after.root) == ("old/a", "new/b")

    def test_a_rewritten_manifest_still_moves_with_its_folder(self, tmp_path: Path) -> None:
        before: Files = {"old/a/SKILL.md": skill("a", LONG), "old/a/x.md": LONG}
        after: Files = {
            "old/a/SKILL.md": None, "old/a/x.md": None, "new/a/SKILL.md": "all new\n", "new/a/x.md": LONG,
        }  # fmt: skip
        assert _only(_between(tmp_path, before, after)).previous_path == "old/a"

    def test_a_manifest_that_became_a_reference_moves_nothing(self, tmp_path: Path) -> None:
        before: Files = {"a/SKILL.md": skill("a", LONG), "b/SKILL.md": skill("b")}
        found = _between(tmp_path, before, {"a/SKILL.md": None, "b/references/a.md": skill("a", LONG)})
        assert _paths(found) == [("deleted", "a"), ("modified", "b")]

    def test_a_common_licence_does_not_make_two_skills_one(self, tmp_path: Path) -> None:
        before: Files = {"a/SKILL.md": skill("a", "Counts."), "a/LICENSE": LONG}
        after: Files = {"a/SKILL.md": None, "a/LICENSE": None, "b/SKILL.md": "other\n" * 30, "b/LICENSE": LONG}
        assert _paths(_between(tmp_path, before, after)) == [("deleted", "a"), ("added", "b")]

    def test_a_copy_is_an_addition(self, tmp_path: Path) -> None:
        before: Files = {"a/SKILL.md": skill("a", LONG)}
        assert _paths(_between(tmp_path, before, {"b/SKILL.md": skill("a", LONG)})) == [("added", "b")]

    def test_more_moves_than_gits_rename_limit_are_all_seen(self, tmp_path: Path) -> None:
        before: dict[str | bytes, Content] = {f"old/s{n}/SKILL.md": skill(f"s{n}", LONG) for n in range(1200)}
        after: dict[str | bytes, Content | None] = dict.fromkeys(before)
        after |= {f"new/s{n}/SKILL.md": skill(f"s{n}", LONG) for n in range(1200)}
        history = History(tmp_path / "r.git")
        base, head = history.commits("main", [before, after])
        with Repository.open(history.path) as repository:
            found = compare(repository, base, head)
        assert {change.how for change in found.skills} == {How.RENAMED}
        assert len(found.skills) == 1200


class TestSpelling:
    def test_a_misspelt_manifest_is_a_skill(self, tmp_path: Path) -> None:
        change = _only(_between(tmp_path, {"x": "1"}, {"s/a/skill.md": skill("a")}))
        assert (change.how, change.path, change.parts) == (How.ADDED, "s/a", (Part.MANIFEST,))
        assert change.after is not None and change.after.manifest == "skill.md"

    def test_correcting_the_spelling_is_a_modification(self, tmp_path: Path) -> None:
        after: Files = {"s/a/skill.md": None, "s/a/SKILL.md": skill("a")}
        assert _paths(_between(tmp_path, {"s/a/skill.md": skill("a")}, after)) == [("modified", "s/a")]

    def test_a_document_called_skill_md_inside_a_skill_is_a_document(self, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a"), "s/a/references/skill.md": "1"}
        change = _only(_between(tmp_path, before, {"s/a/references/skill.md": "2"}))
        assert (change.path, change.parts) == ("s/a", (Part.REFERENCES,))
        assert change.after is not None and "references/skill.md" in change.after.files

    def test_only_the_whole_name_counts(self, tmp_path: Path) -> None:
        assert _between(tmp_path, {"x": "1"}, {"docs/my-skill.md": "1", "docs/SKILL.md.bak": "1"}).skills == ()

    def test_a_folder_called_like_a_manifest_is_none(self, tmp_path: Path) -> None:
        assert _between(tmp_path, {"x": "1"}, {"docs/SKILL.md/readme.txt": "1"}).skills == ()


class TestRootSkill:
    BEFORE: ClassVar[Files] = {
        "SKILL.md": skill("whole", "See [guide](docs/guide.md) and [other](docs/other.md)."),
        "docs/guide.md": "1", "docs/private.md": "1", "scripts/run.sh": "1", "src/main.py": "1",
        "skills/a/SKILL.md": skill("a"),
    }  # fmt: skip

    @pytest.mark.parametrize(
        ("path", "owner"),
        [
            ("SKILL.md", "."), ("docs/guide.md", "."), ("scripts/run.sh", "."), ("evals/evals.json", "."),
            ("docs/private.md", None), ("src/main.py", None), ("README.md", None), ("skills/a/x", "skills/a"),
        ],
    )  # fmt: skip
    def test_it_owns_its_own_and_not_the_whole_repository(self, path: str, owner: str | None, tmp_path: Path) -> None:
        found = _between(tmp_path, self.BEFORE, {path: "changed"})
        assert [change.path for change in found.skills] == ([owner] if owner else [])
        assert found.unowned == (() if owner else (path,))

    def test_its_files_are_the_same_ones(self, tmp_path: Path) -> None:
        change = _only(_between(tmp_path, self.BEFORE, {"scripts/run.sh": "2"}))
        assert change.after is not None
        assert set(change.after.files) == {"SKILL.md", "docs/guide.md", "scripts/run.sh"}
        assert change.name == "whole"

    def test_a_link_dropped_in_the_same_change_still_counts(self, tmp_path: Path) -> None:
        after: Files = {"SKILL.md": skill("whole"), "docs/guide.md": None}
        assert _only(_between(tmp_path, self.BEFORE, after)).files == ("SKILL.md", "docs/guide.md")


class TestSharedFiles:
    @pytest.mark.parametrize(
        "body",
        [
            "Read [rates](../../shared/rates.md).", "Read [rates](<../../shared/rates.md#eu>).",
            "Read [rates][r].\n\n[r]: ../../shared/rates.md", "Read `../../shared/rates.md` first.",
            "See [rates](/shared/rates.md).", "![map](../../shared/rates.md)",
        ],
    )  # fmt: skip
    def test_a_file_that_skill_md_links_to_changes_the_skill(self, body: str, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", body), "s/b/SKILL.md": skill("b"), "shared/rates.md": "1"}
        found = _between(tmp_path, before, {"shared/rates.md": "2"})
        change = _only(found)
        assert (change.how, change.path, change.files) == (How.MODIFIED, "s/a", ("shared/rates.md",))
        assert (change.because.kind, change.because.path) == (BecauseKind.SHARED_FILE, "shared/rates.md")
        assert found.unowned == ()
        assert change.after is not None and change.after.outside == {"shared/rates.md"}

    @pytest.mark.parametrize(
        "body", ["```\n[x](../../shared/rates.md)\n```", "https://example.com/shared/rates.md", "shared/rates.md"]
    )
    def test_what_is_not_a_link_changes_nothing(self, body: str, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", body), "shared/rates.md": "1"}
        found = _between(tmp_path, before, {"shared/rates.md": "2"})
        assert (found.skills, found.unowned) == ((), ("shared/rates.md",))

    @pytest.mark.parametrize("away", [{"shared/x.md": None}, {"shared/x.md": None, "shared/y.md": LONG}])
    def test_a_shared_file_that_went_away_says_so(self, away: Files, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", "[x](../../shared/x.md)"), "shared/x.md": LONG}
        change = _only(_between(tmp_path, before, away))
        assert (change.because.kind, change.because.path) == (BecauseKind.REMOVED_SHARED_FILE, "shared/x.md")

    def test_it_joins_the_files_of_a_skill_that_changed_anyway(self, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", "[x](../../shared/x.md)"), "shared/x.md": "1"}
        found = _between(tmp_path, before, {"shared/x.md": "2", "s/a/scripts/r.py": "1"})
        change = _only(found)
        assert change.files == ("s/a/scripts/r.py", "shared/x.md")
        assert change.because.kind is BecauseKind.OWN_FILE
        assert found.unowned == ()

    def test_another_skills_file_is_not_a_shared_one(self, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", "[b](../b/SKILL.md)"), "s/b/SKILL.md": skill("b")}
        assert _paths(_between(tmp_path, before, {"s/b/SKILL.md": skill("b", "x")})) == [("modified", "s/b")]

    def test_the_root_of_a_plugin_is_known(self, tmp_path: Path) -> None:
        before: Files = {
            "plugins/ops/.claude-plugin/plugin.json": "{}",
            "plugins/ops/skills/a/SKILL.md": skill("a", "Read ${CLAUDE_PLUGIN_ROOT}/reference/x.md first."),
            "plugins/ops/reference/x.md": "1",
        }
        found = _between(
            tmp_path, before, {"plugins/ops/reference/x.md": "2", "plugins/ops/.claude-plugin/plugin.json": "{ }"}
        )
        assert _only(found).because.kind is BecauseKind.SHARED_FILE
        assert found.unowned == ("plugins/ops/.claude-plugin/plugin.json",)

    def test_every_changed_path_is_somewhere(self, tmp_path: Path) -> None:
        before: Files = {"s/a/SKILL.md": skill("a", "[x](../../shared/x.md)"), "shared/x.md": "1", "z": "1"}
        found = _between(tmp_path, before, {"shared/x.md": "2", "z": "2", "s/a/l": Link("../..")})
        accounted = {path for change in found.skills for path in change.files} | set(found.unowned)
        assert accounted == {"shared/x.md", "z", "s/a/l"}


def test_a_skill_without_a_readable_name_is_called_by_its_folder(tmp_path: Path) -> None:
    history = History(tmp_path / "r.git")
    base = history.commit("main", {"x": "1"})
    head = history.commit("main", {"s/a/SKILL.md": "no frontmatter", "s/b/SKILL.md": skill("not-b"), "SKILL.md": ""})
    with Repository.open(history.path) as repository:
        found = named(repository, compare(repository, base, head))
    assert [(c.path, c.name) for c in found.skills] == [(".", "root skill"), ("s/a", "a"), ("s/b", "not-b")]
