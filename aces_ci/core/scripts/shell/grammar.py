"""The bash grammar of tree-sitter, with one fault of it mended: a line that it takes for the end of the one before.

After a pipeline of three stages it reads a following line with `&&` as further words of the last stage, so that what
stands there would run unseen. A command whose words go over a line's end is parted there and read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

ROUNDS = 4
"""Times that a script is read again."""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def read(source: bytes) -> tuple[bytes, Node]:
    """The source as it was read, with a `;` for each end of a line that the grammar missed, and its tree."""
    root = _parser().parse(source).root_node
    for _ in range(ROUNDS if b"|" in source and b"\n" in source else 0):
        ends = sorted(set(_missed(source, root)), reverse=True)
        if not ends:
            break
        parted = source
        for at in ends:
            parted = parted[:at] + b";" + parted[at:]
        again = _parser().parse(parted).root_node
        if again.has_error and not root.has_error:
            break  # it was no fault of the grammar's
        source, root = parted, again
    return source, root


def _missed(source: bytes, root: Node) -> Iterator[int]:
    """Where a bare end of a line stands between two words of one command."""
    todo = [root]
    while todo:
        node = todo.pop()
        todo.extend(node.children)
        if node.type != "command":
            continue
        ended = False
        for before, after in zip(node.children, node.children[1:], strict=False):
            between = source[before.end_byte : after.start_byte]
            at = between.find(b"\n")
            bare = at >= 0 and not between[:at].rstrip(b" \t\r").endswith(b"\\")
            if bare and not ended and b"<<" not in source[node.start_byte : before.end_byte]:
                yield before.start_byte if before.type == "comment" else before.end_byte + at
            ended = bare and after.type == "comment"  # a comment on a line of its own ends nothing more
