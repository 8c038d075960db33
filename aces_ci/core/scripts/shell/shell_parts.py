"""Parts of the shell's syntax tree: redirections, assignments, constants, and lists made flat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tree_sitter import Node

from aces_ci.core.scripts.shell.command import Redirect, Word
from aces_ci.core.scripts.shell.handed import ANY_NAME, listing
from aces_ci.core.scripts.shell.words import Reader

_BOTH_WAYS = re.compile(r"(?m)(?<![\w'\"])(\d)<>(?=\s*[/$\"'~])")
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
"""Node types of redirections."""


def assigned(reader: Reader, node: Node) -> Iterator[tuple[str, Word]]:
    """The name with its value, an empty word where none is written."""
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None:
        return
    line, column = reader.end(node)
    empty = Word(text="", shape="", line=line, column=column)
    yield reader.raw(name), reader.word(value) if value is not None else empty


def redirects(reader: Reader, node: Node, rest: list[Node]) -> Iterator[Redirect]:
    """The redirections of one node; what the grammar hangs below a here-document goes to `rest`."""
    operator = next((c.type for c in node.children if not c.is_named), "<")
    number = next((reader.raw(c) for c in node.children if c.type == "file_descriptor"), "")
    target: Word | None = None
    body: str | None = None
    for child in node.children:
        if child.type == "file_redirect" and node.type == "heredoc_redirect":
            yield from redirects(reader, child, rest)
        elif child.type == "heredoc_body":
            body = reader.raw(child)
        elif child.type in {"heredoc_start", "heredoc_end", "file_descriptor"} or not child.is_named:
            continue
        elif node.type == "heredoc_redirect":
            rest.append(child)
        elif target is None:
            target = reader.word(child)
    if node.type == "herestring_redirect" and target is not None:
        body = target.shape
    yield Redirect(operator=operator, target=target, body=body, descriptor=int(number) if number.isdigit() else None)


def flat(node: Node) -> Iterator[Node]:
    """The children of a node with left-leaning lists unrolled."""
    if node.type != "list":
        for child in node.children:
            yield from (flat(child) if child.type == "list" else (child,))
        return
    tail: list[Node] = []
    while node.type == "list" and node.children:
        tail.extend(reversed(node.children[1:]))
        node = node.children[0]
    yield node
    yield from reversed(tail)


@dataclass(frozen=True, slots=True)
class Known:
    """What a script's variables hold: one word each, or the words of an array."""

    words: Mapping[str, Word]
    arrays: Mapping[str, Sequence[Word]]
    changing: frozenset[str] = frozenset()
    """Variables that are set more than once: each holds what it was set to last."""


def constants(reader: Reader, root: Node, inherited: Mapping[str, Word] = MappingProxyType({})) -> Known:
    """Variables that get one value in the whole script, so that `$URL` can be read as it.

    `inherited` are those of the script around it.
    """
    if b"=" not in reader.source:
        return Known(inherited, {})
    reader.constants = inherited
    values: dict[str, list[Word | None]] = {}
    arrays: dict[str, list[Word]] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "variable_assignment":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None:
                values.setdefault(reader.raw(name), []).append(_value(reader, value))
            if name is not None and value is not None and value.type == "array":
                arrays[reader.raw(name)] = [word for child in value.named_children for word in reader.words(child)]
        elif node.type in {"for_statement", "command"}:
            for child in node.children:
                if child.type in {"variable_name", "word"}:
                    values.setdefault(reader.raw(child), []).append(None)
        stack.extend(node.children)
    own = {name: only[0] for name, only in values.items() if len(only) == 1 and only[0] is not None}
    kept = {name: word for name, word in inherited.items() if name not in values}
    changing = frozenset(name for name, only in values.items() if len(only) > 1)
    return Known({**kept, **own}, {name: words for name, words in arrays.items() if name not in changing}, changing)


def _value(reader: Reader, node: Node | None) -> Word | None:
    word = reader.word(node) if node is not None and node.type != "array" else None
    return word if word is not None and settled(word) else None


def settled(word: Word) -> bool:
    """Whether it is known what the word is, or at least where it points: `$HOME/x`, `$(mktemp -d)`."""
    return word.text is not None or word.shape.startswith(_PLACES)


_PLACES = ("~", "$HOME", "$PWD", "$TMPDIR", "$(mktemp", "$(pwd)", "$(git rev-parse --show-toplevel)")


def turns(reader: Reader, node: Node) -> tuple[str, list[Word]]:
    """The variable of a `for` and what it holds at each turn; nothing where only the run knows, or nobody asks."""
    variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
    name = reader.raw(variable) if variable is not None else ""
    if body is None or name not in reader.raw(body):
        return name, []
    words = [word for child in node.children_by_field_name("value") for word in reader.words(child)]
    values = [ANY_NAME if listing(word.shape) else word for word in words]
    return name, values if all(map(settled, values)) else []


def gone_over(reader: Reader, node: Node, name: str) -> tuple[str, Word] | None:
    """`for x in $(…)`: the variable with the words that only the run knows; None where all are written out."""
    values = [reader.word(child) for child in node.children_by_field_name("value")]
    if not name or all(value.text is not None for value in values):
        return None
    shape = " ".join(value.shape for value in values)
    return name, Word(text=None, shape=shape, line=values[0].line, column=values[0].column)


def one_way(text: str) -> str:
    """`3<>FILE` as `3>>FILE`: the grammar knows no file that is opened both ways, and loses its name."""
    return _BOTH_WAYS.sub(r"\1>>", text) if "<>" in text else text
