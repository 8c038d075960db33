"""The shape of a script's control flow: which command runs after, instead of, or beside which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Parser
from tree_sitter import Node as Syntax

from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.commands import MAX_BYTES
from aces_ci.core.scripts.shell.words import Reader
from aces_ci.core.scripts.shell.wrappers import SHELLS, unwrap

MAX_DEPTH = 150
"""Nesting of syntax that is followed."""
Place = tuple[int, int]
"""Line and column of a command."""


class Kind(Enum):
    """How the parts of a node belong together."""

    COMMAND = auto()
    """One simple command; its part is the script that it was handed, as by `bash -c`."""
    SEQUENCE = auto()
    APART = auto()
    """A sequence in a shell of its own, which `exit` leaves and no more: `( … )`, `bash -c "…"`."""
    AND = auto()
    OR = auto()
    NOT = auto()
    PIPE = auto()
    IF = auto()
    """Condition, what runs where it holds, what runs where it does not."""
    LOOP = auto()
    """Its body runs at least once."""
    MAYBE = auto()
    """Nobody knows which of its parts run: `case`, the body of `while`."""
    FUNCTION = auto()
    BESIDE = auto()
    """In the background: nobody waits for how it ends."""


@dataclass(slots=True, eq=False)
class Node:
    """One part of the flow. `ran` and `ended` are filled in by `flow`."""

    kind: Kind
    parts: list[Node] = field(default_factory=list)
    commands: tuple[Command, ...] = ()
    """Several where the reader went through a loop's words one by one."""
    name: str = ""
    """Of a function."""
    ran: bool | None = None
    ended: bool | None = None

    def walk(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()


_NEUTRAL = frozenset(
    {"comment", "word", "string", "raw_string", "file_redirect", "herestring_redirect", "heredoc_body"}
)


def tree(script: str, commands: Sequence[Command]) -> Node:
    """The flow of `script`, its commands found again by where they stand."""
    places: dict[Place, tuple[Command, ...]] = {}
    for command in commands:
        place = command.line, command.column
        places[place] = (*places.get(place, ()), command)
    return _Growth(places).script(script, line=1, column=1, depth=0)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _Growth:
    def __init__(self, places: Mapping[Place, tuple[Command, ...]]) -> None:
        self.places = places

    def script(self, text: str, *, line: int, column: int, depth: int) -> Node:
        source = text.encode("utf-8", "replace")[:MAX_BYTES]
        reader = Reader(source, line=line, column=column)
        node = self.sequence(_parser().parse(source).root_node.children, reader, depth)
        return Node(Kind.APART, [node]) if depth else node

    def sequence(self, children: Sequence[Syntax], reader: Reader, depth: int) -> Node:
        parts: list[Node] = []
        for at, child in enumerate(children):
            if not child.is_named or child.type in _NEUTRAL:
                continue
            part = self.node(child, reader, depth + 1)
            if at + 1 < len(children) and children[at + 1].type == "&":
                part = Node(Kind.BESIDE, [part])
            parts.append(part)
        return parts[0] if len(parts) == 1 else Node(Kind.SEQUENCE, parts)

    def node(self, node: Syntax, reader: Reader, depth: int) -> Node:
        grow = _GROWN.get(node.type, _Growth.command)
        return Node(Kind.MAYBE) if depth > MAX_DEPTH else grow(self, node, reader, depth)

    def chain(self, node: Syntax, reader: Reader, depth: int) -> Node:
        first, *middle, last = node.children
        kind = Kind.OR if any(each.type == "||" for each in middle) else Kind.AND
        return Node(kind, [self.node(first, reader, depth + 1), self.node(last, reader, depth + 1)])

    def pipeline(self, node: Syntax, reader: Reader, depth: int) -> Node:
        return Node(Kind.PIPE, [self.node(each, reader, depth + 1) for each in node.children if each.is_named])

    def negated(self, node: Syntax, reader: Reader, depth: int) -> Node:
        return Node(Kind.NOT, [self.sequence(node.children, reader, depth)])

    def apart(self, node: Syntax, reader: Reader, depth: int) -> Node:
        return Node(Kind.APART, [self.sequence(node.children, reader, depth)])

    def group(self, node: Syntax, reader: Reader, depth: int) -> Node:
        return self.sequence(node.children, reader, depth)

    def maybe(self, node: Syntax, reader: Reader, depth: int) -> Node:
        named = (each for each in node.children if each.is_named and each.type not in _NEUTRAL)
        return Node(Kind.MAYBE, [self.node(each, reader, depth + 1) for each in named])

    def function(self, node: Syntax, reader: Reader, depth: int) -> Node:
        named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        parts = [self.node(body, reader, depth + 1)] if body is not None else []
        return Node(Kind.FUNCTION, parts, name=reader.raw(named) if named is not None else "")

    def command(self, node: Syntax, reader: Reader, depth: int) -> Node:
        """A leaf, with the script that it was handed below it."""
        found = self.places.get(reader.start(node), ())
        if not found:
            return Node(Kind.MAYBE)
        command = found[0]
        inner = unwrap(command.words)
        parts = []
        if inner is not None and inner.script is not None:
            script = inner.script
            column = script.column + (1 if script.quoted else 0)
            parts.append(self.script(script.shape, line=script.line, column=column, depth=depth + 1))
        elif command.name in SHELLS and not command.operands:
            bodies = [each.body for each in command.redirects if each.body]
            parts += [self.script(body, line=command.line + 1, column=1, depth=depth + 1) for body in bodies]
        return Node(Kind.COMMAND, parts, commands=found)

    def redirected(self, node: Syntax, reader: Reader, depth: int) -> Node:
        """What is redirected, and what the grammar hangs below its here-document: `cat <<EOF && next`."""
        body = node.child_by_field_name("body")
        found = self.node(body, reader, depth + 1) if body is not None else self.command(node, reader, depth)
        for redirect in (child for child in node.children if child.type == "heredoc_redirect"):
            joint = next((each.type for each in redirect.children if each.type in {"&&", "||", "|"}), "")
            for child in redirect.children:
                if child.type in {"list", "pipeline", "command", "redirected_statement"}:
                    kind = Kind.OR if joint == "||" else Kind.AND if joint == "&&" else Kind.PIPE
                    found = Node(kind, [found, self.node(child, reader, depth + 1)])
        return found

    def choice(self, node: Syntax, reader: Reader, depth: int) -> Node:
        """`if` and `elif`: the statements between condition and the next clause, then that clause."""
        named = [each for each in node.children if each.is_named and each.type not in _NEUTRAL]
        clauses = [each for each in named[1:] if each.type in {"elif_clause", "else_clause"}]
        inside = [each for each in named[1:] if each not in clauses]
        parts = [self.node(named[0], reader, depth + 1), self.sequence(inside, reader, depth)] if named else []
        if clauses and clauses[0].type == "else_clause":
            parts.append(self.sequence(clauses[0].children, reader, depth))
        elif clauses:
            below = self.choice(clauses[0], reader, depth + 1)
            rest = clauses[1:]
            parts.append(Node(Kind.MAYBE, [below, *(self.sequence(each.children, reader, depth) for each in rest)]))
        return Node(Kind.IF, parts)

    def loop(self, node: Syntax, reader: Reader, depth: int) -> Node:
        """A body that runs where there is something to go through: written words, patterns included."""
        body = node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        parts = [self.node(body, reader, depth + 1)] if body is not None else []
        sure = bool(values) and all(reader.word(each).text is not None for each in values)
        return Node(Kind.LOOP if sure else Kind.MAYBE, parts)


_GROWN: Mapping[str, Callable[[_Growth, Syntax, Reader, int], Node]] = {
    "list": _Growth.chain,
    "pipeline": _Growth.pipeline,
    "negated_command": _Growth.negated,
    "subshell": _Growth.apart,
    **dict.fromkeys(("compound_statement", "do_group", "program", "ERROR"), _Growth.group),
    "redirected_statement": _Growth.redirected,
    **dict.fromkeys(("if_statement", "elif_clause"), _Growth.choice),
    **dict.fromkeys(("for_statement", "c_style_for_statement"), _Growth.loop),
    **dict.fromkeys(("while_statement", "case_statement", "case_item"), _Growth.maybe),
    "function_definition": _Growth.function,
}
"""By node of the grammar; every other one is a command."""
