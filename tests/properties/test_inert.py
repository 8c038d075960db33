"""Hostile text stays inert: proved with the real cmark-gfm, and the same proof fails a naive renderer."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from aces_ci.core.inert import cell, code, fence, prose, visible

MIX = [
    "@user", "@org/team", "@all", "#1", "GH-1", "o/r#1", "!1", "&1", "%1", "~label", "fixes #2", "closes #3",
    "/merge", "/approve", "/close", "<b>", "</details>", "<img src=x>", "<!-- aces-ci:comment v1 key=default -->",
    "![x](http://a.example/b.png)", "[x](javascript:alert(1))", "[a]: http://b.example", "http://c.example/d",
    "www.e.example", "f@g.example", "# h", "> q", "- l", "1. l", "- [ ] t", "| a | b |", "|:--|", "===", "---",
    "[^1]", "$x$", "$`y`$", "$$", "```mermaid", "```", "~~~", "```suggestion", ":tada:", "#ff0000", "`", "``",
    "`````", "\u202e", "\u200b", "\ufeff", "\U000e0041", "e" + "\u0301" * 9, "\x1b[31m", "\r", "\n", "\n\n", "\t",
    "\\", "\\|", "|", "deadbeefdeadbeef", "*b*", "_i_", "~~s~~", "&lt;", "&#64;user", "word", "Use it.", " ", "  ",
]  # fmt: skip
# What our own template may produce around one value; anything else in the HTML came out of the text.
OURS = {"p", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"}
TABLE = "| a | b |\n|:--|:--|\n| {} | end |\n"


def html(markdown: str) -> str:
    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)


def escapes(markdown: str, *, cells: int = 0, codes: int | None = None) -> bool:
    """Whether the text did anything but stand there as text."""
    page = html(markdown)
    tags = {tag.lower() for tag in re.findall(r"</?([A-Za-z][A-Za-z0-9-]*)", page)}
    outside = re.sub(r"<pre.*?</pre>|<code>.*?</code>", "", page, flags=re.DOTALL)
    active = re.search(r"[@#$~`|]|https?:|www\.|:[a-z]+:|!\d|&amp;|%\d|GH-\d|(^|>)\s*/\w", outside)
    return (
        bool(tags - OURS)
        or "<!--" in page
        or active is not None
        or (codes is not None and page.count("<code") != codes)
        or (cells > 0 and page.count("<td>") + page.count('<td align="left">') != cells)
    )


def mixes(count: int, seed: int) -> list[str]:
    chooser = random.Random(seed)
    return ["".join(chooser.choice(MIX) for _ in range(chooser.randint(1, 9))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(2))
def test_ten_thousand_hostile_mixes_stay_inert_in_every_place_we_put_text(seed: int) -> None:
    failed = []
    for text in mixes(5000, seed):
        line = escapes(f"Value {code(text)} end.", codes=1)
        row = escapes(TABLE.format(cell(text)), cells=2)
        sentence = escapes(f"So {prose(text)}")
        block = escapes(f"Before\n\n{fence(text)}\n\nAfter", codes=1)
        if line or row or sentence or block:
            failed.append((text, line, row, sentence, block))
    assert failed == []


@pytest.mark.parametrize("naive", [lambda t: f"`{t}`", lambda t: t, lambda t: f"`{t.replace('`', '')}`"])
def test_the_same_proof_fails_a_naive_renderer(naive: Callable[[str], str]) -> None:
    caught = sum(escapes(TABLE.format(naive(text)), cells=2) or escapes(f"V {naive(text)} e", codes=1)
                 for text in mixes(500, 9))  # fmt: skip
    assert caught > 100


def test_ordinary_sentences_stay_readable() -> None:
    text = 'links to `references/rates.md`, which does not exist. Add "Use when …".'
    assert prose(text) == text


def test_hidden_characters_are_shown_by_number() -> None:
    assert visible("a\u202eb\u200bc\x07") == "a<U+202E>b<U+200B>c<U+0007>"


def test_long_and_pathological_values_are_bounded() -> None:
    assert len(code("`" * 100_000)) < 500
    assert len(visible("x" * 1_000_000)) <= 160
    assert len(fence("y\n" * 1_000_000)) < 4_200
