"""`check --fix` on odd manifests: what an agent reads stays, and a second call finds nothing to do."""

from __future__ import annotations

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aces_ci import compose
from aces_ci.changes.parse import parse_skill
from aces_ci.core.skill import Field, FileKind, Skill, SkillFile
from aces_ci.tiers.fixes import apply, edits

RULES = compose.rules()
ROUNDS = 5
BESIDE = {"scripts/a.py": b"print(1)\n", "scripts/run.bat": b"echo 1\n"}
FOLDERS = (
    "skills/sample-dir", "skills/2048", "skills/true", "skills/null", "skills/no", "skills/1e3", "skills/0x1f",
    "skills/ünï", "skills/Bad_Dir", "skills/1-2", ".",
)  # fmt: skip
NAMES = (
    "sample-dir", "sample_dir", "Sample Dir", '"sample_dir"', "'x y'", "2048", "1.10", "true", "null", "~", "",
    "&a foo", "*a", "!!str foo", ">\n  folded", "|\n  literal", "foo # note", "foo #note", "[a]", "{a: b}", "naïve",
    "ﬁ", "foo: bar", '"foo: bar', "- a", "foo\tbar", "foo\\bar", "@x", "0x1F", "1e3", "no", "2024-01-01",
    'foo "bar" baz', "it's",
)  # fmt: skip
DESCRIPTIONS = (
    "Plain text. Use when asked.", "Use for: things", "Use for: things # note", "Fix issue #42 now", '"quoted: x"',
    "a: b: c", ">-\n  folded: x\n  more", "first\n  second: x", "1.10", "true", "", '"cut #4"', "don't: do \"this\"",
    "path C:\\x: y", "*star: x", "&anchor text", "x:", "x :y", "é: ü", "a\u2028b: c", "a\x85b: c", "tab:\tx",
)  # fmt: skip
MORE = (
    "", "license: MIT #see\n", "metadata:\n  version: 1.10\n  always: false\n  n: 3\n", "metadata: {version: 1.10}\n",
    "version: 1.10\n", "compatibility: true\n", "license: 1.10 # c\n", "x: *a\n", "allowed-tools: Read: x\n",
    "a: b: c\nd: e: f\n", "metadata:\n  k: a: b\n",
)  # fmt: skip
BODIES = (
    "# B\n", "run `scripts\\a.py`\n", "run scripts\\a.py scripts\\a.pyc and C:\\scripts\\a.py\n",
    "scripts\\a.py " * 9,
    "```bat\r\nscripts\\run.bat\r\n```\n", "a\r\r\nb\n",
)  # fmt: skip


@st.composite
def manifests(draw: st.DrawFn) -> bytes:
    fields = [
        f"name: {draw(st.sampled_from(NAMES))}\n",
        f"description: {draw(st.sampled_from(DESCRIPTIONS))}\n",
        draw(st.sampled_from(MORE)),
    ]
    text = f"---\n{''.join(draw(st.permutations(fields)))}---\n{draw(st.sampled_from(BODIES))}"
    ends = draw(st.sampled_from(("lf", "crlf", "mixed")))
    if ends == "crlf":
        text = text.replace("\n", "\r\n")
    if ends == "mixed":
        text = "".join(row + draw(st.sampled_from(("\n", "\r\n"))) for row in text.split("\n"))
    data = (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()
    return data.replace(b"B", b"\xff") if draw(st.integers(0, 9)) == 0 else data


def read(data: bytes, root: str) -> Skill:
    every = {"SKILL.md": data, **BESIDE}
    files = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(each), data=each) for path, each in every.items()
    }
    return parse_skill(root=root, files=files)


def mended(data: bytes, root: str) -> bytes:
    for _ in range(ROUNDS):
        changes = edits(read(data, root), RULES)
        if not changes:
            return data
        data = apply({"SKILL.md": data, **BESIDE}, changes)["SKILL.md"]
    raise AssertionError("there is always something left to mend")


def as_text(field: Field) -> object:
    """A bare number as quotes around it would keep it; everything else as YAML reads it."""
    if isinstance(field.value, bool | int | float) and field.written:
        return field.written
    if isinstance(field.value, dict):
        return {child.key: as_text(child) for child in field.children}
    return field.value


def children(skill: Skill) -> list[Field]:
    """Truth values and whole numbers in `metadata`: readers take them as what they are, so they stay bare."""
    field = (skill.frontmatter or {}).get("metadata")
    return [child for child in (field.children if field else ()) if child.key != "version"]


@example(data=b"---\nname: &a foo\ndescription: Text.\nx: *a\n---\n", root="skills/sample-dir")
@settings(max_examples=300, deadline=None)
@given(data=manifests(), root=st.sampled_from(FOLDERS))
def test_a_fix_changes_no_meaning_and_leaves_nothing_for_a_second_one(data: bytes, root: str) -> None:
    before, after = read(data, root), read(mended(data, root), root)
    assert after.body.replace("\\", "/") == before.body.replace("\\", "/")
    for own in ("scripts\\run.bat", "scripts\\a.pyc", "C:\\scripts\\a.py"):
        assert (own in after.body) == (own in before.body), "a program of Windows, no file of the skill, another folder"
    if before.frontmatter is None:
        return
    assert after.frontmatter is not None
    then = {key: as_text(field) for key, field in before.frontmatter.items()}
    now = {key: as_text(field) for key, field in after.frontmatter.items()}
    named, called = then.pop("name", None), now.pop("name", None)
    assert {key: str(value) for key, value in now.items()} == {key: str(value) for key, value in then.items()}
    assert [type(child.value) for child in children(after)] == [type(child.value) for child in children(before)]
    if called != named:
        assert called == before.directory
        block = after.text.split("---\n")[1]
        assert yaml.safe_load(block)["name"] == called, "a reader of YAML 1.1 sees the same text"
