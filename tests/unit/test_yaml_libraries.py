"""What libyaml reads is what ruamel reads, so that speed changes no meaning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from aces_ci.changes.decode import decode
from aces_ci.changes.frontmatter import locate
from aces_ci.changes.yaml_reader import read

Row = tuple[str, object, object, str, bool]


def rows(events: object) -> list[Row]:
    return [
        (
            type(event).__name__,
            getattr(event, "value", None),
            getattr(event, "anchor", None),
            str(getattr(event, "tag", None) or ""),
            bool(getattr(event, "style", None)),
        )
        for event in events  # type: ignore[attr-defined]
    ]


def test_a_folded_text_holds_its_words_and_nothing_else() -> None:
    fields, problems = read("description: >\n  one\n  two\n\n  three\n", 1)
    assert not problems
    assert fields is not None
    assert fields["description"].value == "one two\nthree\n"


@pytest.mark.parametrize("text", ["a: [1, {b: c}]\n", "%YAML 1.2\n---\na: 1\n", "a: >-\n  x\n  y\n", "a: 'it''s'\n"])
def test_what_libyaml_refuses_and_yaml_allows_is_still_read(text: str) -> None:
    fields, problems = read(text, 1)
    assert fields, problems


def test_both_libraries_read_every_block_of_the_corpus_alike(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "corpus").rglob("SKILL.md")):
        block, _ = locate(decode(path.read_bytes())[0])
        if block is None or re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\U0010ffff]", block.text):
            continue
        try:
            fast = rows(yaml.parse(block.text, Loader=yaml.CBaseLoader))
        except yaml.YAMLError:
            with pytest.raises(YAMLError):
                rows(YAML(typ="safe", pure=True).parse(block.text))
            continue
        assert fast == rows(YAML(typ="safe", pure=True).parse(block.text)), path
        seen += 1
    assert seen > 300


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
def test_a_line_break_of_yaml_one_one_is_a_character(mark: str) -> None:
    fields, _ = read(f"description: a{mark}license: MIT\n", 1)
    assert "license" not in (fields or {})
