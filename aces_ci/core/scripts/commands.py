"""A shell script as the simple commands in it, parsed by the bash grammar of tree-sitter.

Nothing is matched by substring: `echo "rm -rf /"` is one `echo`, `r\\m -rf /` is one `rm`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from aces_ci.core.scripts.command import Command, Redirect, Within, Word
from aces_ci.core.scripts.shell_parts import REDIRECTS, assigned, constants, flat, redirects
from aces_ci.core.scripts.words import Reader
from aces_ci.core.scripts.wrappers import SHELLS, unwrap

MAX_BYTES = 262_144
"""Bytes of a script that are read; what follows is ignored."""
MAX_COMMANDS = 5_000
MAX_DEPTH = 150
"""Nesting of syntax that is followed."""
MAX_UNWRAP = 12
"""Wrappers in wrappers, and scripts in scripts, that are followed."""

_SURROUNDINGS = {
    "subshell": Within.SUBSHELL,
    "command_substitution": Within.SUBSTITUTION,
    "process_substitution": Within.PROCESS,
    "function_definition": Within.FUNCTION,
    "for_statement": Within.LOOP,
    "c_style_for_statement": Within.LOOP,
    "while_statement": Within.LOOP,
    "if_statement": Within.BRANCH,
    "case_statement": Within.BRANCH,
}


_HIDING = (b"$(", b"`", b"<(", b">(")
"""How a command inside a word begins; a script without any has none."""


def parse(script: str) -> tuple[Command, ...]:
    """Every simple command of `script` in the order of its text, wrappers taken off.

    Never raises. A script that is no valid shell yields the commands that the grammar could save; one that
    is longer than `MAX_BYTES`, or nested deeper than `MAX_DEPTH`, yields those within the bounds.
    """
    found: list[Command] = []
    _Walk(found, _Ids()).script(script, line=1, column=1, at=_Context())
    return tuple(found)


@dataclass(slots=True)
class _Ids:
    pipeline: int = -1

    def next(self) -> int:
        self.pipeline += 1
        return self.pipeline


class _Context(NamedTuple):
    """What surrounds a node. A tuple, because one is made for every node of every script."""

    within: frozenset[Within] = frozenset()
    parent: int | None = None
    pipeline: int | None = None
    position: int = 0
    operator: str = ""
    background: bool = False
    redirects: tuple[Redirect, ...] = ()
    wrappers: tuple[str, ...] = ()
    depth: int = 0
    scripts: int = 0

    def inside(self, within: Within, parent: int | None) -> _Context:
        """A fresh line of commands one level in; what the outer command is joined to does not reach it."""
        return _Context(within=self.within | {within}, parent=parent, depth=self.depth + 1, scripts=self.scripts)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _Walk:
    """One script's tree turned into commands, appended to a list that nested scripts share."""

    def __init__(self, found: list[Command], ids: _Ids) -> None:
        self.found = found
        self.ids = ids
        self.reader = Reader(b"")
        self.hides = True

    def script(self, text: str, *, line: int, column: int, at: _Context) -> None:
        """Append the commands of a whole script."""
        source = text.encode("utf-8", "replace")[:MAX_BYTES]
        self.reader = Reader(source, line=line, column=column)
        self.hides = any(sign in source for sign in _HIDING)
        root = _parser().parse(source).root_node
        self.reader.constants = constants(self.reader, root)
        self.visit(root, at)

    def visit(self, node: Node, at: _Context) -> None:
        """Append the commands below `node`."""
        if at.depth > MAX_DEPTH or len(self.found) >= MAX_COMMANDS:
            return
        kind = node.type
        if kind in {"command", "declaration_command", "unset_command", "test_command"}:
            self.command(node, at)
        elif kind in {"variable_assignment", "variable_assignments"}:
            self.assignment(node, at)
        elif kind == "pipeline":
            self.pipeline(node, at)
        elif kind == "redirected_statement":
            self.redirected(node, at)
        else:
            self.sequence(node, at)

    def sequence(self, node: Node, at: _Context) -> None:
        """Children one after the other; chains of `&&` lean to the left and are walked without recursion."""
        outer = _SURROUNDINGS.get(node.type)
        within = at.within | {outer} if outer else at.within
        operator = at.operator
        children = list(flat(node))
        for index, child in enumerate(children):
            if not child.is_named:
                if child.type in {"&&", "||", ";", "&"}:
                    operator = child.type
                continue
            following = children[index + 1].type if index + 1 < len(children) else ""
            background = at.background or following == "&"
            inner = at._replace(within=within, operator=operator, depth=at.depth + 1, background=background)
            self.visit(child, inner)
            operator = ""

    def pipeline(self, node: Node, at: _Context, start: int = 0) -> None:
        """Stages with one number and rising positions, also inside an outer pipeline's stage."""
        number = at.pipeline if at.pipeline is not None else self.ids.next()
        position = at.position + start
        operator = at.operator
        for child in node.children:
            if child.type in {"|", "|&"}:
                operator = child.type
                continue
            before = len(self.found)
            stage = at._replace(pipeline=number, position=position, operator=operator, depth=at.depth + 1)
            self.visit(child, stage)
            own = [c.position for c in self.found[before:] if c.pipeline == number]
            position = max([position, *own]) + 1

    def redirected(self, node: Node, at: _Context) -> None:
        """A statement with redirections: they belong to its last stage, or to each command of a group."""
        body = node.child_by_field_name("body")
        own: list[Redirect] = []
        rest: list[Node] = []
        for child in node.children:
            if child.type in REDIRECTS:
                own.extend(redirects(self.reader, child, rest))
        piped = [child for child in rest if child.type == "pipeline"]
        number = self.ids.next() if piped and at.pipeline is None else at.pipeline
        inner = at._replace(redirects=(*at.redirects, *own), depth=at.depth + 1, pipeline=number)
        if body is None:
            self.append(node, (), inner)
        else:
            self.visit(body, inner)
        for child in rest:
            if child.type == "pipeline":
                self.pipeline(child, at._replace(pipeline=number), start=1)
            else:
                self.visit(child, at._replace(depth=at.depth + 1))
        for child in node.children:
            if child.type in REDIRECTS:
                self.nested(child, at, len(self.found) - 1)

    def command(self, node: Node, at: _Context) -> None:
        """One simple command and what hides in its words."""
        words: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        own: list[Redirect] = []
        for child in node.children:
            if child.type in REDIRECTS:
                own.extend(redirects(self.reader, child, []))
            elif child.type == "variable_assignment":
                assignments.extend(assigned(self.reader, child))
            elif child.is_named or node.type != "test_command":
                words.append(self.reader.word(child))
        context = at._replace(redirects=(*at.redirects, *own)) if own else at
        index = self.append(node, tuple(words), context, tuple(assignments))
        if not (len(self.found) > index + 1 and any("$(" in w.shape or "`" in w.shape for w in words)):
            self.nested(node, at, index)  # else the script it is handed holds the same substitutions

    def assignment(self, node: Node, at: _Context) -> None:
        """`NAME=value` alone: a command without words."""
        nodes = node.children if node.type == "variable_assignments" else [node]
        pairs = tuple(pair for child in nodes for pair in assigned(self.reader, child))
        index = self.append(node, (), at, pairs)
        self.nested(node, at, index)

    def nested(self, node: Node, at: _Context, parent: int) -> None:
        """Commands inside the words of `node`."""
        if not self.hides:
            return
        stack = [(child, at.depth + 1) for child in reversed(node.children)]
        while stack:
            child, depth = stack.pop()
            if child.type in {"command_substitution", "process_substitution"}:
                self.sequence(child, at.inside(_SURROUNDINGS[child.type], parent)._replace(depth=depth))
            elif depth < MAX_DEPTH and child.type not in {"pipeline", "list"}:
                stack.extend((below, depth + 1) for below in reversed(child.children))

    def append(
        self, node: Node, words: tuple[Word, ...], at: _Context, assignments: tuple[tuple[str, Word], ...] = ()
    ) -> int:
        """Take the wrappers off, append the command, then the commands of a script it is handed."""
        wrappers = at.wrappers
        within = at.within
        script, kind = None, Within.STRING
        for _ in range(MAX_UNWRAP):
            inner = unwrap(words)
            if inner is None:
                break
            if inner.script is not None:
                script, kind = inner.script, inner.within or Within.STRING
                break
            if inner.within:
                within = within | {inner.within}
            wrappers = (*wrappers, inner.name)
            assignments = (*assignments, *inner.assignments)
            words = inner.words
        line, column = self.reader.start(node)
        end_line, end_column = self.reader.end(node)
        command = Command(
            index=len(self.found),
            words=words,
            wrappers=wrappers,
            assignments=assignments,
            redirects=at.redirects,
            pipeline=at.pipeline if at.pipeline is not None else self.ids.next(),
            position=at.position,
            operator=at.operator,
            background=at.background,
            within=within,
            parent=at.parent,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            source=self.reader.raw(node)[:400],
        )
        self.found.append(command)
        self.handed(command, script, kind, at)
        return command.index

    def handed(self, command: Command, script: Word | None, kind: Within, at: _Context) -> None:
        """The script that a shell gets by `-c` or by a here-document."""
        if at.scripts >= MAX_UNWRAP:
            return
        texts: list[tuple[str, int, int]] = []
        if script is not None:
            texts.append((script.shape, script.line, script.column + (1 if script.quoted else 0)))
        elif command.name in SHELLS and not command.operands:
            texts.extend((r.body, command.line + 1, 1) for r in command.redirects if r.body)
        for text, line, column in texts:
            inside = at.inside(kind, command.index)._replace(within=command.within | {kind}, scripts=at.scripts + 1)
            _Walk(self.found, self.ids).script(text, line=line, column=column, at=inside)
