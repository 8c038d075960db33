"""Text of others as a judge may see it: nothing hidden, cut where it says so, as JSON between unforeseeable marks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import re2

ELISION = "[...]"
"""Stands where text was left out, with the number of characters beside it."""
_MARK = re2.compile(r"\n?\[\.\.\.\] [0-9]+ characters left out \[\.\.\.\]\n?")
_COLOUR = re2.compile(r"\x1b\[(?:(?:[0-79]|[0-9]{2,3})?[;:])*(?:[0-79]|[0-9]{2,3})?m")
"""Select Graphic Rendition (ECMA-48) without a bare 8, which conceals."""
_INVISIBLE = re2.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\x{ad}\x{34f}\x{61c}\x{115f}\x{180e}\x{3164}"
    r"\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fff9}-\x{fffb}\x{1d173}-\x{1d17a}"
    r"\x{e0000}-\x{e007f}\x{e0100}-\x{e01ef}]"
)
_PICTURES = {
    "\x1b": "␛", "\x07": "␇", "\x08": "␈", "\x7f": "␡",
    "\x90": "␛P", "\x98": "␛X", "\x9b": "␛[", "\x9d": "␛]", "\x9e": "␛^", "\x9f": "␛_",
}  # fmt: skip
"""What moves a terminal's cursor or takes text off its screen, as a picture of it; C1 controls as their long form."""
_VISIBLE = str.maketrans({**_PICTURES, "\u2028": " ", "\u2029": " "})
_HIDING = re2.compile(r"[\x1b\x08\x7f\x{90}\x{98}\x{9b}\x{9d}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]")
_TAGS = re2.compile(r"\x{1f3f4}?[\x{e0000}-\x{e007f}]+")
_FLAG = "\U0001f3f4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A stretch of a text, without marks of ours: what may be quoted."""

    text: str
    line: int = 1
    """Of the whole text, on which this begins."""
    left_out: int = 0
    """Characters that are missing in front of it."""


def cleaned(text: str) -> str:
    """Without colours of a terminal, zero-width, bidi, filler and tag characters; line ends and tabs stay.

    What a terminal would take as a title, a link or a move of its cursor stays as text behind a mark: an agent reads
    it, so a judge must, and must see that a person does not.
    """
    return marked(str(_COLOUR.sub("", text)))


def marked(text: str) -> str:
    """The same of a text that has no business with a terminal: its colours are marked as well."""
    return str(_INVISIBLE.sub("", text.translate(_VISIBLE)))


def hidings(text: str) -> int:
    """How often a text takes itself off a reader's screen: terminal sequences, bidi controls, runs of tag characters.

    The tag characters of a flag (UTS 51) hide nothing.
    """
    runs = sum(not run.startswith(_FLAG) for run in _TAGS.findall(text))
    return len(_HIDING.findall(text)) + runs


def folded(text: str) -> str:
    """White space folded to single blanks, ends trimmed, case as it is: how quotes are compared."""
    return " ".join(text.split())


def excerpts(text: str, limit: int) -> tuple[Excerpt, ...]:
    """All of a text, or head and tail of one that is longer than `limit` characters."""
    if len(text) <= limit:
        return (Excerpt(text=text),)
    half = limit // 2
    at = len(text) - half
    return (
        Excerpt(text=text[:half]),
        Excerpt(text=text[at:], line=1 + text.count("\n", 0, at), left_out=at - half),
    )


def joined(parts: Sequence[Excerpt], write: Callable[[Excerpt], str] = lambda part: part.text) -> str:
    """Excerpts as one text, with a mark wherever something is missing that says how much."""
    gaps = [f"\n{ELISION} {part.left_out} characters left out {ELISION}\n" if part.left_out else "" for part in parts]
    return "".join(gap + write(part) for gap, part in zip(gaps, parts, strict=True))


def cut(text: str, limit: int) -> str:
    """Head and tail of a text longer than `limit` characters, with a mark that says how much is missing."""
    return joined(excerpts(text, limit))


def unmarked(text: str) -> list[str]:
    """The stretches between the marks of a text that was cut: what may be quoted of it."""
    return [str(part) for part in _MARK.split(text)]


def fenced(data: Mapping[str, object], salt: str = "") -> str:
    """`data` as JSON between two lines that carry a digest of it.

    The digest covers the very text that would have to contain it, so nobody inside can write the closing line.
    Equal data gives equal marks, which keeps a provider's prefix cache and our own cache warm; `salt` sets two
    askings of the same data apart.
    """
    body = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=False)
    nonce = hashlib.sha256(f"{salt}\0{body}".encode("utf-8", "replace")).hexdigest()[:20]
    return f"=== data {nonce} ===\n{body}\n=== end {nonce} ==="
