"""The one reader of frontmatter: located problems, all of them, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci.changes.parse import parse_skill
from aces_ci.core.skill import FileKind, Skill, SkillFile


def skill_of(data: bytes, name: str = "SKILL.md", root: str = "skills/demo") -> Skill:
    file = SkillFile(path=name, kind=FileKind.REGULAR, size=len(data), data=data)
    return parse_skill(root=root, files={name: file})


def written(block: str, body: str = "# Demo\n") -> Skill:
    return skill_of(f"---\n{block}\n---\n{body}".encode())


def found(skill: Skill) -> list[tuple[str, int, int]]:
    return [(problem.kind, problem.place.line, problem.place.column) for problem in skill.problems]


GOOD = b"---\nname: demo\ndescription: Reads logs. Use when asked.\n---\n\n# Demo\n"


def test_a_plain_skill_has_fields_with_their_places() -> None:
    skill = skill_of(GOOD)
    assert skill.frontmatter is not None
    assert skill.name == "demo" and skill.description == "Reads logs. Use when asked."
    at = skill.frontmatter["description"].at_value
    assert (at.line, at.column, at.end_line, at.end_column) == (3, 14, 3, 41)
    assert (skill.body_line, skill.body) == (5, "\n# Demo\n")
    assert skill.problems == ()


def test_the_same_text_with_crlf_or_lone_cr_reads_the_same() -> None:
    for ending in (b"\r\n", b"\r"):
        skill = skill_of(GOOD.replace(b"\n", ending))
        assert (skill.name, skill.description, skill.body) == (
            "demo",
            "Reads logs. Use when asked.",
            "\n# Demo\n",
        )
        assert skill.problems == ()


def test_the_file_may_end_right_after_the_closing_fence() -> None:
    skill = skill_of(b"---\r\nname: demo\r\ndescription: d\r\n---")
    assert (skill.name, skill.body, skill.problems) == ("demo", "", ())


def test_a_byte_order_mark_is_named_and_read_past() -> None:
    skill = skill_of(b"\xef\xbb\xbf" + GOOD)
    assert found(skill) == [("bom", 1, 1)]
    assert skill.name == "demo"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf16_is_one_problem_and_no_traceback(encoding: str) -> None:
    skill = skill_of(GOOD.decode().encode(encoding))
    assert found(skill) == [("utf16", 1, 1)]
    assert skill.name == "demo"


def test_bad_bytes_are_counted_and_the_first_is_located() -> None:
    skill = skill_of(b"---\nname: demo\ndescription: caf\xe9 and \xff\n---\n")
    assert found(skill) == [("encoding", 3, 17)]
    assert "0xE9 at byte offset 31, and 1 more" in skill.problems[0].message
    assert skill.description == "caf\ufffd and \ufffd"


def test_every_broken_entry_is_reported_at_its_own_line_and_column() -> None:
    skill = written("name: demo\ndescription: Do this: now\nlicense: see: there\nname: again")
    assert found(skill) == [("yaml", 3, 21), ("yaml", 4, 13), ("duplicate_key", 5, 1)]
    assert skill.frontmatter is None


def test_a_second_key_of_the_same_name_is_reported_and_the_rest_still_read() -> None:
    skill = written("name: demo\ndescription: a\nmetadata:\n  x: 1\n  x: 2\nname: other")
    assert found(skill) == [("duplicate_key", 6, 3), ("duplicate_key", 7, 1)]
    assert skill.frontmatter is not None and skill.description == "a"


def test_tabs_tags_and_control_characters_are_named() -> None:
    assert found(written("name: demo\nmetadata:\n\ta: b"))[0][0] == "yaml"
    assert "tab" in written("name: demo\nmetadata:\n\ta: b").problems[0].message.lower()
    assert found(written("name: !!python/object/apply:os.getcwd []")) == [("tag", 2, 7)]
    assert found(written("name: a\x07b\ndescription: \x80")) == [("control", 2, 8), ("control", 3, 14)]


def test_a_control_character_does_not_hide_a_broken_line() -> None:
    assert found(written("name: a\x07b\ndescription: x: y")) == [("control", 2, 8), ("yaml", 3, 15)]


def test_flow_style_anchors_and_yaml_1_2_scalars_are_read() -> None:
    skill = written('metadata: {"tool": {"a": [1, 2]}, on: yes}\na: &x [1]\nb: *x\nc: 1.10\nd: 2024-01-02\ne: 0o17')
    assert skill.frontmatter is not None
    values = {key: field.value for key, field in skill.frontmatter.items()}
    assert values == {
        "metadata": {"tool": {"a": [1, 2]}, "on": "yes"},
        "a": [1],
        "b": [1],
        "c": 1.1,
        "d": "2024-01-02",
        "e": 15,
    }
    assert skill.frontmatter["c"].written == "1.10"
    assert [child.at_key.column for child in skill.frontmatter["metadata"].children] == [12, 35]


def test_a_bomb_of_aliases_is_counted_and_never_unfolded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    skill = written("\n".join(lines))
    assert [kind for kind, _, _ in found(skill)] == ["bomb"]
    assert skill.frontmatter is None


@pytest.mark.parametrize("block", ["a: " + "[" * 3000, "a: " + "{" * 3000, "a: " + "x" * 70_000])
def test_depth_and_length_are_bounded(block: str) -> None:
    assert "bomb" in [kind for kind, _, _ in found(written(block))]


def test_three_hyphens_inside_a_value_close_nothing() -> None:
    skill = written("name: demo\ndescription: |\n  one\n  ---\n  two --- three\nlicense: a --- b")
    assert skill.description == "one\n---\ntwo --- three"
    assert skill.string("license") == "a --- b"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", "empty", "empty"),
        ("\n\n", "empty", "empty"),
        ("# Title\n", "missing", "does not begin"),
        ("\n---\nname: a\n---\n", "content_before", "line 2"),
        ("<!-- licence\n-->\n---\nname: a\n---\n", "content_before", "line 3"),
        ("---\nname: a\n\n| --- |\n", "unclosed", "never closed"),
        ("---\nname: a\n...\n", "unclosed", "`...`"),
        ("---\n\n## name: a\n", "unclosed", "formatter"),
        ("---\njust text\n---\n", "not_mapping", "plain text"),
        ("---\n- a\n---\n", "not_mapping", "a list"),
    ],
)
def test_what_is_no_frontmatter_says_why(text: str, kind: str, words: str) -> None:
    skill = skill_of(text.encode())
    assert [problem.kind for problem in skill.problems] == [kind]
    assert words in skill.problems[0].message
    assert skill.frontmatter is None


def test_an_empty_block_is_a_mapping_without_fields() -> None:
    assert written("# only a comment").frontmatter == {}


def test_a_manifest_that_may_not_be_read_is_one_problem() -> None:
    link = SkillFile(path="SKILL.md", kind=FileKind.SYMLINK, size=9)
    skill = parse_skill(root="s", files={"SKILL.md": link})
    assert [problem.kind for problem in skill.problems] == ["no_content"]
    assert "it is a symbolic link" in skill.problems[0].message
    assert parse_skill(root="s", files={}).problems[0].kind == "no_content"


def test_the_wrong_case_is_found_and_kept_as_written() -> None:
    assert skill_of(GOOD, name="Skill.md").manifest == "Skill.md"


def test_the_synthetic_skills_read_as_their_manifest_says(shared: Path) -> None:
    folder = shared / "cases" / "synthetic"
    kinds = {}
    for case in json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8")):
        path = folder / case["path"] / case["file"]
        skill = skill_of(path.read_bytes(), name=case["file"], root=case["path"])
        kinds[case["id"]] = [problem.kind for problem in skill.problems]
    assert {case: kind for case, kind in kinds.items() if kind} == {
        "s01-bom": ["bom"],
        "s03-latin1": ["encoding"],
        "s07-unquoted-colon": ["yaml"],
        "s08-tab-indent": ["yaml"],
        "s11-python-tag": ["tag"],
        "s20-table-closes": ["unclosed"],
        "s22-dots-close": ["unclosed"],
        "s32-html-comment": ["content_before"],
        "s34-mangled-by-formatter": ["unclosed"],
        "s35-empty": ["empty"],
        "s38-control-in-yaml": ["control"],
    }


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(alphabet="-:#[]{}&*!|>'\"\n\t a1,~\u0007é", max_size=200).map(
            lambda text: f"---\n{text}\n---\nbody".encode()
        ),
    )
)
def test_any_bytes_become_a_skill_whose_problems_lie_in_the_file(data: bytes) -> None:
    skill = skill_of(data)
    lines = skill.text.count("\n") + 1
    assert skill.frontmatter is not None or skill.problems
    for problem in skill.problems:
        assert 1 <= problem.place.line <= lines
        assert problem.message and problem.hint
