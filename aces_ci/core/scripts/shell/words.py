"""A node of the shell grammar as the text that the program would receive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tree_sitter import Node

from aces_ci.core.scripts.shell.command import Word

MAX_WORD = 20_000
"""Characters kept of one word; the rest of a longer one is cut."""
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_ANSI_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_EXPANSION = re.compile(r"\$(?:(\w+)|\{(\w+)(?P<plain>\}|:?[?=+-].*\}|%%?/\}))\Z", re.DOTALL)
_ALL = re.compile(r'"?\$(?:[@*]|\{[@*]\}|\{(?P<array>\w+)\[[@*]\]\})"?\Z')
"""`"$@"` or `"${names[@]}"`: as many words as there are."""
_ALWAYS_SET = frozenset({"HOME", "PWD", "USERPROFILE", "TMPDIR", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
"""Variables that nobody leaves empty, so that `${HOME:?}` is `$HOME`."""
_DYNAMIC = frozenset(
    {"simple_expansion", "expansion", "command_substitution", "process_substitution", "arithmetic_expansion"}
)
_QUOTES = frozenset({"string", "raw_string", "ansi_c_string", "translated_string"})
_PLAIN = frozenset({"word", "raw_string", "ansi_c_string", "number"})
"""Nodes in which nothing is expanded."""


class Reader:
    """Reads words of one script; holds its bytes, the constants it assigns, and `$1` … where they are known.

    `line` and `column` of the words count from `line` and `column` given here, which lets the text
    of `bash -c "…"` point into the file that holds it.
    """

    def __init__(self, source: bytes, *, line: int = 1, column: int = 1) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.constants: Mapping[str, Word] = {}
        self.arrays: Mapping[str, Sequence[Word]] = {}
        self.positional: Sequence[Word] = ()
        self.changing: frozenset[str] = frozenset()
        self._ascii = source.isascii()

    def assign(self, name: str, value: Word | None) -> None:
        """Note the latest value of a variable that changes; None where it may or may not be set."""
        if name in self.changing:
            self.constants = {key: word for key, word in self.constants.items() if key != name}
            if value is not None:
                self.constants = {**self.constants, name: value}

    def arguments(self, words: Sequence[Word]) -> None:
        """`set -- a b`: from here on `$1`, `$2` … and `$@`."""
        self.positional = words
        self.constants = {**self.constants, **{str(number): word for number, word in enumerate(words, start=1)}}

    @contextmanager
    def knowing(self, constants: Mapping[str, Word], positional: Sequence[Word] | None = None) -> Iterator[None]:
        """Reads with further constants, and with other positional arguments where they are given."""
        outer = self.constants, self.positional
        self.constants = {**self.constants, **constants}
        self.positional = self.positional if positional is None else positional
        yield
        self.constants, self.positional = outer

    def raw(self, node: Node) -> str:
        """The node as it is written."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def place(self, row: int, byte: int, offset: int) -> tuple[int, int]:
        """1-based line and column in characters of the byte at `offset`, `byte` bytes into `row`."""
        if not self._ascii:
            byte = len(self.source[offset - byte : offset].decode("utf-8", "replace"))
        return self.line + row, byte + (self.column if row == 0 else 1)

    def start(self, node: Node) -> tuple[int, int]:
        """Where the node begins."""
        point = node.start_point
        return self.place(point.row, point.column, node.start_byte)

    def end(self, node: Node) -> tuple[int, int]:
        """One past where it ends."""
        point = node.end_point
        return self.place(point.row, point.column, node.end_byte)

    def words(self, node: Node) -> list[Word]:
        """The words that this node becomes: `$@` is one for each, and what is not quoted splits at its blanks."""
        whole = self.word(node)
        if node.type in _PLAIN:
            return [whole]
        every = _ALL.match(self.raw(node))
        if every:
            known = self.arrays.get(every["array"], ()) if every["array"] else self.positional
            return list(known) or [whole]
        inner = node.children[0] if node.type == "command_name" and node.children else node
        parts = inner.children if inner.type == "concatenation" else [inner]
        if not any(part.type in _DYNAMIC and " " in (self._expansion(part)[0] or "") for part in parts):
            return [whole]
        return [
            Word(text=None if whole.text is None else piece, shape=piece, line=whole.line, column=whole.column)
            for piece in whole.shape.split()
        ]

    def word(self, node: Node) -> Word:
        """The word that this node is."""
        text, shape = self._read(node, 0)
        line, column = self.start(node)
        return Word(
            text=None if text is None else text[:MAX_WORD],
            shape=shape[:MAX_WORD],
            line=line,
            column=column,
            quoted=node.type in _QUOTES or (node.child_count > 0 and any(c.type in _QUOTES for c in node.children)),
        )

    def _read(self, node: Node, depth: int) -> tuple[str | None, str]:
        kind = node.type
        if kind == "command_name" and node.children:
            return self._parts(node, depth) if depth < 40 else (None, self.raw(node))
        if kind in _DYNAMIC:
            return self._expansion(node)
        if kind == "raw_string":
            text = self.raw(node)[1:].removesuffix("'")
            return text, text
        if kind == "ansi_c_string":
            text = _ANSI.sub(_ansi, self.raw(node)[2:].removesuffix("'"))
            return text, text
        if kind in {"string", "translated_string", "concatenation"} and depth < 40:
            return self._parts(node, depth)
        if kind == "string_content":
            text = _QUOTED_ESCAPE.sub(_unquote, self.raw(node))
            return text, text
        if kind == "word":
            text = self.raw(node)
            text = _ESCAPED.sub(_unescape, text) if "\\" in text else text
            return text, text
        text = self.raw(node)
        return (None if any(child.type in _DYNAMIC for child in node.children) else text), text

    def _parts(self, node: Node, depth: int) -> tuple[str | None, str]:
        """Children joined; bytes between them belong to the string too (the grammar drops leading blanks)."""
        texts: list[str] = []
        shapes: list[str] = []
        dynamic = False
        at = node.start_byte
        for child in node.children:
            gap = self.source[at : child.start_byte].decode("utf-8", "replace")
            at = child.end_byte
            if gap:
                texts.append(gap)
                shapes.append(gap)
            if child.type in {'"', '$"'}:
                continue
            text, shape = self._read(child, depth + 1)
            dynamic = dynamic or text is None
            texts.append(text or "")
            shapes.append(shape)
        return (None if dynamic else "".join(texts)), "".join(shapes)

    def _expansion(self, node: Node) -> tuple[str | None, str]:
        raw = self.raw(node)
        if node.type == "command_substitution":
            said = None if "$(" in raw[1:] or "`" in raw[1:-1] else self._echoed(node)
            return (None, raw) if said is None else (said, said)
        found = _EXPANSION.match(raw)
        if found is None or node.type not in {"simple_expansion", "expansion"}:
            return None, raw
        name = found[1] or found[2]
        if name == "IFS":
            return " ", " "
        known = self.constants.get(name)
        if known is not None:
            return known.text, known.shape
        plain = found["plain"] in {None, "}"}
        return None, f"${name}" if plain or name in _ALWAYS_SET else raw

    def _echoed(self, node: Node) -> str | None:
        """What `$(echo …)` prints, where its words are written out."""
        inner = node.named_children
        if len(inner) != 1 or inner[0].type != "command":
            return None
        name, *rest = [self._read(child, 1)[0] for child in inner[0].named_children]
        words = rest[1:] if rest[:1] in (["-n"], ["-e"], ["-E"]) else rest
        if name not in {"echo", "printf"} or any(word is None or "%" in word for word in words):
            return None
        return " ".join(word for word in words if word is not None)


def _unescape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def _unquote(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def _ansi(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "xuU" and len(body) > 1:
        number = int(body[1:], 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else ""
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    if body[0] == "c" and len(body) > 1:
        return chr(ord(body[1]) & 0x1F)
    return _ANSI_NAMED.get(body, body)
