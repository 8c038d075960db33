"""What a Markdown body consists of, with lines: headings, steps, code, links, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(
    r"(!?)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


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


@dataclass(frozen=True, slots=True)
class Prose:
    """A run of text that is not code: paragraph, list item, table cell or heading."""

    text: str
    line: int
    kind: str
    """`paragraph`, `item`, `step` (of an ordered list), `cell` or `heading`."""

    @property
    def plain(self) -> str:
        """Without code spans and comments."""
        return _CODE_SPAN.sub(" ", _COMMENT.sub(" ", self.text))


@dataclass(frozen=True, slots=True)
class Link:
    """An inline link, image or definition."""

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
    html: tuple[tuple[str, int], ...]

    def section(self, heading: Heading) -> tuple[int, int]:
        """First and last line of what stands under a heading, subsections included."""
        after = (
            other.line
            for other in self.headings
            if other.line > heading.line and other.level <= heading.level
        )
        return heading.line + 1, next(after, len(self.lines) + 1) - 1

    def parts(self, first: int, last: int) -> tuple[tuple[Prose, ...], tuple[Code, ...]]:
        """Prose but headings, and code, of a range of lines."""
        prose = tuple(part for part in self.prose if first <= part.line <= last and part.kind != "heading")
        return prose, tuple(code for code in self.codes if first <= code.line <= last)


@lru_cache(maxsize=512)
def outline(text: str) -> Outline:
    """The outline of a Markdown text with universal newlines. Pure, cached, total."""
    env: dict[str, object] = {}
    tokens = _parser().parse(text, env)
    lines = tuple(text.split("\n"))
    headings: list[Heading] = []
    codes: list[Code] = []
    prose: list[Prose] = []
    html: list[tuple[str, int]] = []
    kinds: list[str] = []
    row = 1
    for index, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else row
        if token.map:
            row = line
        if token.type in ("bullet_list_open", "ordered_list_open"):
            kinds.append("item" if token.type[0] == "b" else "step")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            kinds.pop()
        elif token.type == "inline":
            kind = _kind(tokens[index - 1], kinds)
            prose.append(Prose(token.content, line, kind))
            if kind == "heading":
                headings.append(Heading(int(tokens[index - 1].tag[1]), token.content, line))
        elif token.type in ("fence", "code_block"):
            codes.append(_code(token, lines))
        elif token.type == "html_block":
            html.append((token.content, line))
    links = [link for part in prose if "](" in part.text for link in _links(part)]
    links += _definitions(env)
    spans = [span for part in prose if "`" in part.text for span in _spans(part)]
    return Outline(
        lines, tuple(headings), tuple(codes), tuple(prose), tuple(links), tuple(spans), tuple(html)
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """CommonMark blocks with tables; inline text is read here, which is three times as fast."""
    return MarkdownIt("commonmark", {"maxNesting": 40}).enable("table").disable("inline")


def _kind(opening: Token, kinds: Sequence[str]) -> str:
    if opening.type == "heading_open":
        return "heading"
    if opening.type in ("th_open", "td_open"):
        return "cell"
    return kinds[-1] if kinds else "paragraph"


def _code(token: Token, lines: tuple[str, ...]) -> Code:
    first, end = token.map or (0, 0)
    fenced = token.type == "fence"
    last = lines[end - 1].strip(" >\t") if 0 < end <= len(lines) else ""
    closed = not fenced or (
        end - 1 > first and last.startswith(token.markup) and not last.strip(token.markup[:1])
    )
    language = token.info.split()[0].lower() if token.info.split() else ""
    return Code(language, token.content, first + 1, end, fenced, closed)


def _line(part: Prose, offset: int) -> int:
    return part.line + part.text.count("\n", 0, offset)


def _spans(part: Prose) -> Iterator[tuple[str, int]]:
    for match in _CODE_SPAN.finditer(part.text):
        yield match[2].strip(), _line(part, match.start())


def _links(part: Prose) -> Iterator[Link]:
    """Links outside of code spans; the spans are blanked, so that offsets stay."""
    text = _CODE_SPAN.sub(lambda match: " " * len(match[0]), part.text)
    for match in _LINK.finditer(text):
        target = match[3] if match[3] is not None else match[4]
        yield Link(
            part.text[match.start(2) : match.end(2)], target, _line(part, match.start()), bool(match[1])
        )


def _definitions(env: dict[str, object]) -> Iterator[Link]:
    found = env.get("references")
    if not isinstance(found, dict):
        return
    for label, entry in found.items():
        yield Link(str(label), str(entry.get("href", "")), int(entry.get("map", (0, 0))[0]) + 1, False)
