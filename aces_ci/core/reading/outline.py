"""What a Markdown body consists of, with lines: headings, steps, code, links, prose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import pyromark

from aces_ci.core.reading.lexis import vocabulary, words

_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image", "Superscript", "Subscript"})
_EDGES = frozenset({"Start", "End"})
_PARTING = frozenset({"Html", "Rule"})
PHRASE_HEADS = vocabulary(
    """do must should not make set api environment at only limited out no in dry exit timed times fall roll does doesn't
    please as kind sort is might could relevant best need required depending"""
)
"""Words that may begin a phrase of two words in a rule's vocabulary; a test holds every rule to them."""
MAX_CHARACTERS = 1_000_000
"""What stands after this many characters of a text is not outlined."""


@dataclass(frozen=True, slots=True)
class Heading:
    """`line` is 1-based in the text that was outlined; so are all lines here."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Code:
    """A fenced or indented block. `line` is that of the fence; content begins one line later."""

    language: str
    content: str
    line: int
    end_line: int
    fenced: bool
    closed: bool
    vocabulary: frozenset[str]


class Prose(NamedTuple):
    """A run of text that is not code: paragraph, list item, table cell or heading."""

    text: str
    line: int
    kind: str
    """`paragraph`, `item`, `step` (of an ordered list), `cell` or `heading`."""
    plain: str
    """Without code spans."""
    vocabulary: frozenset[str]
    """Its distinct words in lower case, and as `one two` the pairs whose first word begins a known phrase."""

    def line_of(self, offset: int) -> int:
        """The line of an offset into `text`."""
        return self.line + self.text.count("\n", 0, offset)


@dataclass(frozen=True, slots=True)
class Link:
    """A link or image, with the address as it reads after its escapes."""

    label: str
    target: str
    line: int
    image: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts in order of lines."""

    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    codes: tuple[Code, ...]
    prose: tuple[Prose, ...]
    links: tuple[Link, ...]
    spans: tuple[tuple[str, int], ...]
    """Inline code with its line."""
    html: tuple[int, ...]
    """Lines on which blocks of HTML begin."""
    vocabulary: frozenset[str]
    """All distinct words, of prose and code."""
    size: int
    """Words in all."""
    told: tuple[Prose, ...]
    """All prose but headings."""

    def speaking_of(self, vocabulary: frozenset[str], least: int = 0) -> int:
        """How many parts, headings apart, use a word of `vocabulary` or stand below a heading that does.

        Parts of fewer than `least` characters do not count.
        """
        count = 0
        under: list[tuple[int, bool]] = []
        levels = iter(self.headings)
        for part in self.prose:
            hit = not vocabulary.isdisjoint(part.vocabulary)
            if part.kind == "heading":
                level = next(levels).level
                while under and under[-1][0] >= level:
                    under.pop()
                under.append((level, level > 1 and (hit or bool(under and under[-1][1]))))
            elif (hit or (under and under[-1][1])) and len(part.text) >= least:
                count += 1
        return count

    def section(self, heading: Heading) -> tuple[int, int]:
        """First and last line of what stands under a heading, subsections included."""
        after = (other.line for other in self.headings if other.line > heading.line and other.level <= heading.level)
        return heading.line + 1, next(after, len(self.lines) + 1) - 1


@lru_cache(maxsize=512)
def outline(text: str) -> Outline:
    """The outline of a Markdown text with universal newlines. Pure, cached, total."""
    return _Walk(text[:MAX_CHARACTERS]).outline()


@lru_cache(maxsize=1024)
def markup(text: str) -> Outline:
    """The same without prose and vocabulary, for whoever asks where code, headings and links lie: half the work."""
    return _Walk(text[:MAX_CHARACTERS], words_too=False).outline()


class _Walk:
    """One pass over pulldown-cmark's events (CommonMark with tables); their ranges are byte offsets."""

    def __init__(self, text: str, *, words_too: bool = True) -> None:
        self._text = text
        self._words_too = words_too
        self._data = text.encode("utf-8", "replace")
        self._starts = [0]
        at = self._data.find(b"\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = self._data.find(b"\n", at + 1)
        self._headings: list[Heading] = []
        self._codes: list[Code] = []
        self._prose: list[Prose] = []
        self._links: list[Link] = []
        self._spans: list[tuple[str, int]] = []
        self._html: list[int] = []
        self._blocks: list[tuple[str, Any]] = []
        self._holes: list[tuple[int, int]] = []
        self._code: list[str] = []
        self._count = 0
        self._vocabulary: set[str] = set()

    def outline(self) -> Outline:
        first, last = -1, -1  # of the run of inline text that is being read
        in_code = False
        value: Any
        tag: Any
        for event, span in pyromark.events_with_range(self._data.decode(), options=pyromark.Options.ENABLE_TABLES):
            start, end = span["start"], span["end"]
            name, value = next(iter(event.items())) if isinstance(event, dict) else (event, None)
            if name == "Text" and in_code:
                self._code.append(value)
                continue
            tag, details = next(iter(value.items())) if isinstance(value, dict) else (value, None)
            if name not in _PARTING and (tag in _INLINE or name not in _EDGES):
                first = start if first < 0 else min(first, start)
                last = max(last, end)
                if name == "Code":
                    self._spans.append((tag.strip(), self._line(start)))
                    self._holes.append((start, end))
                elif details is not None and name == "Start":
                    self._link(tag, details, start, end)
                continue
            if first >= 0:
                self._flush(first, last)
                first = last = -1
            if name in _EDGES:
                in_code = self._block(name, tag, details, start, end)
        return Outline(
            tuple(self._text.split("\n")),
            tuple(self._headings),
            tuple(self._codes),
            tuple(self._prose),
            tuple(self._links),
            tuple(self._spans),
            tuple(self._html),
            frozenset(self._vocabulary),
            self._count,
            tuple(part for part in self._prose if part.kind != "heading"),
        )

    def _block(self, name: str, tag: str, details: Any, start: int, end: int) -> bool:
        """A block begins or ends; whether what follows is code."""
        if name == "End":
            opened = self._blocks.pop() if self._blocks else ("", None)
            if tag == "CodeBlock":
                self._close_code(opened[1], start, end)
            return False
        self._blocks.append((tag, details))
        if tag == "CodeBlock":
            self._code = []
            return True
        if tag == "HtmlBlock":
            self._html.append(self._line(start))
        return False

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _flush(self, start: int, end: int) -> None:
        """A run of inline text ends at the next block."""
        holes, self._holes = self._holes, []
        if not self._words_too and self._blocks[-1:] != [] and self._blocks[-1][0] != "Heading":
            return
        plain = text = self._data[start:end].decode()
        if holes:
            pieces, at = [], start
            for hole_start, hole_end in holes:
                pieces.append(self._data[at:hole_start])
                at = hole_end
            plain = b" ".join([*pieces, self._data[at:end]]).decode()
        line, kind = self._line(start), self._kind()
        found = words(text)
        self._count += len(found)
        told = frozenset(found)
        self._vocabulary.update(told)
        if not told.isdisjoint(PHRASE_HEADS):
            told = told.union([f"{one} {two}" for one, two in pairwise(found) if one in PHRASE_HEADS])
        self._prose.append(Prose(text, line, kind, plain, told))
        if kind == "heading":
            level = next(details["level"] for tag, details in reversed(self._blocks) if tag == "Heading")
            self._headings.append(Heading(int(level[1]), text, line))

    def _kind(self) -> str:
        for tag, details in reversed(self._blocks):
            if tag == "Heading":
                return "heading"
            if tag == "TableCell":
                return "cell"
            if tag == "List":
                return "item" if details is None else "step"
        return "paragraph"

    def _link(self, tag: str, details: Mapping[str, Any], start: int, end: int) -> None:
        source = self._data[start:end].decode(errors="replace")
        label = source.lstrip("!").split("]", 1)[0].lstrip("[")
        self._links.append(Link(label, str(details.get("dest_url", "")), self._line(start), tag == "Image"))

    def _close_code(self, details: Any, start: int, end: int) -> None:
        fenced = isinstance(details, Mapping) and "Fenced" in details
        info = str(details["Fenced"]).split() if fenced else []
        source = self._data[start:end].decode(errors="replace").rstrip("\n")
        mark = source.lstrip()[:1]
        last = source.rsplit("\n", 1)[-1].strip(" >\t") if "\n" in source else ""
        content = "".join(self._code)
        closed = not fenced or (len(last) >= 3 and not last.strip(mark))
        end_line = self._line(max(start, end - 1))
        found = words(content) if self._words_too else []
        self._count += len(found)
        self._vocabulary.update(found)
        language = info[0].lower() if info else ""
        self._codes.append(Code(language, content, self._line(start), end_line, fenced, closed, frozenset(found)))
