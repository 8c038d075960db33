"""A shell script as the simple commands in it, parsed by the bash grammar of tree-sitter.

Nothing is matched by substring: `echo "rm -rf /"` is one `echo`, `r\\m -rf /` is one `rm`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from tree_sitter import Node

from aces_ci.core.scripts.shell.command import Command, Redirect, Within, Word
from aces_ci.core.scripts.shell.context import (
    HIDING,
    MAX_DEPTH,
    MAX_SCRIPTS,
    MAX_TURNS,
    OWN_PROCESS,
    SURROUNDINGS,
    UNSURE,
    Context,
    Ids,
)
from aces_ci.core.scripts.shell.folders import Folders, below
from aces_ci.core.scripts.shell.grammar import read
from aces_ci.core.scripts.shell.handed import ANY_NAME, arguments, lists, scripts
from aces_ci.core.scripts.shell.shell_parts import (
    REDIRECTS,
    assigned,
    constants,
    flat,
    gone_over,
    one_way,
    redirects,
    settled,
    turns,
)
from aces_ci.core.scripts.shell.words import Reader
from aces_ci.core.scripts.shell.wrappers import take_off

MAX_BYTES = 262_144
"""Bytes of a script that are read; what follows is ignored."""
MAX_COMMANDS = 5_000


@lru_cache(maxsize=64)
def parse(script: str, folder: str = "") -> tuple[Command, ...]:
    """Every simple command of `script` in the order of its text, wrappers taken off.

    `folder` is where it is started, where that is known; what is `cd`ed to is followed from there. A loop over
    words that are written out yields its body once for each, a function once more for each call with arguments.

    Never raises. A script that is no valid shell yields the commands that the grammar could save; one that
    is longer than `MAX_BYTES`, or nested deeper than `MAX_DEPTH`, yields those within the bounds.
    """
    found: list[Command] = []
    _Walk(found, Ids(), Folders(folder)).script(script, line=1, column=1, at=Context())
    return tuple(found)


class _Walk:
    """One script's tree turned into commands, appended to a list that nested scripts share."""

    def __init__(self, found: list[Command], ids: Ids, folders: Folders) -> None:
        self.found = found
        self.ids = ids
        self.folders = folders
        self.reader = Reader(b"")
        self.hides = True
        self.functions: dict[str, Node] = {}
        self.calling: set[str] = set()

    def script(
        self,
        text: str,
        *,
        line: int,
        column: int,
        at: Context,
        inherited: Mapping[str, Word] = MappingProxyType({}),
        positional: Sequence[Word] = (),
    ) -> None:
        """Append the commands of a whole script. `inherited` are variables that are set where it is run."""
        source, root = read(one_way(text).encode("utf-8", "replace")[:MAX_BYTES])
        self.reader = Reader(source, line=line, column=column)
        self.hides = any(sign in source for sign in HIDING)
        numbered = {str(number): word for number, word in enumerate(positional)}
        known = constants(self.reader, root, {**inherited, **numbered})
        self.reader.constants, self.reader.arrays, self.reader.changing = known.words, known.arrays, known.changing
        self.reader.positional = positional[1:]
        self.visit(root, at)

    def visit(self, node: Node, at: Context) -> None:
        """Append the commands below `node`."""
        if at.depth > MAX_DEPTH or len(self.found) >= MAX_COMMANDS:
            return
        kind = node.type
        if kind in OWN_PROCESS:
            outer, self.folders = self.folders, self.folders.copy()
            if any(child.type in REDIRECTS for child in node.children):  # `$(< FILE)` has no other command
                self.redirected(node, at)
            self.sequence(node, at)
            self.folders = outer
            if kind == "function_definition":
                self.define(node)
        elif kind == "for_statement":
            self.loop(node, at)
        elif kind in {"command", "declaration_command", "unset_command", "test_command"}:
            self.command(node, at)
        elif kind in {"variable_assignment", "variable_assignments"}:
            self.assignment(node, at)
        elif kind == "pipeline":
            self.pipeline(node, at)
        elif kind == "redirected_statement":
            self.redirected(node, at)
        else:
            self.sequence(node, at)

    def sequence(self, node: Node, at: Context, last: tuple[Redirect, ...] = ()) -> None:
        """Children one after the other; chains of `&&` lean to the left and are walked without recursion."""
        outer = SURROUNDINGS.get(node.type)
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
            if last and child is children[-1]:
                inner = inner._replace(redirects=(*at.redirects, *last))
            self.visit(child, inner)
            operator = ""

    def pipeline(self, node: Node, at: Context, start: int = 0) -> None:
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
            outer, self.folders = self.folders, self.folders.copy()
            self.visit(child, stage)
            self.folders = outer
            own = [c.position for c in self.found[before:] if c.pipeline == number]
            position = max([position, *own]) + 1

    def redirected(self, node: Node, at: Context) -> None:
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
        elif body.type == "list":  # the grammar hangs what belongs to the last command on all of them
            self.sequence(body, inner._replace(redirects=at.redirects), tuple(own))
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

    def command(self, node: Node, at: Context) -> None:
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
                words.extend(self.reader.words(child))
        context = at._replace(redirects=(*at.redirects, *own)) if own else at
        index = self.append(node, tuple(words), context, tuple(assignments))
        if not (len(self.found) > index + 1 and any("$(" in w.shape or "`" in w.shape for w in words)):
            self.nested(node, at, index)  # else the script it is handed holds the same substitutions
        command = self.found[index]
        self.folders.follow(command.name, command.arguments)
        if command.name == "set" and command.arguments[:1] and command.arguments[0].shape == "--":
            self.reader.arguments(command.arguments[1:])
        elif command.name == "read" and lists(self.found, command):
            self.reader.constants = {**self.reader.constants, **{w.shape: ANY_NAME for w in command.operands}}
        if command.name in self.functions:
            self.call(command, at)

    def assignment(self, node: Node, at: Context) -> None:
        """`NAME=value` alone: a command without words."""
        nodes = node.children if node.type == "variable_assignments" else [node]
        pairs = tuple(pair for child in nodes for pair in assigned(self.reader, child))
        index = self.append(node, (), at, pairs)
        self.nested(node, at, index)
        for name, value in pairs:
            self.reader.assign(name, None if at.within & UNSURE or not settled(value) else value)

    def nested(self, node: Node, at: Context, parent: int) -> None:
        """Commands inside the words of `node`."""
        if not self.hides:
            return
        stack = [(child, at.depth + 1) for child in reversed(node.children)]
        while stack:
            child, depth = stack.pop()
            if child.type in {"command_substitution", "process_substitution"}:
                self.visit(child, at.inside(SURROUNDINGS[child.type], parent)._replace(depth=depth))
            elif depth < MAX_DEPTH and child.type not in {"pipeline", "list"}:
                stack.extend((below, depth + 1) for below in reversed(child.children))

    def append(
        self, node: Node, words: tuple[Word, ...], at: Context, assignments: tuple[tuple[str, Word], ...] = ()
    ) -> int:
        """Take the wrappers off, append the command, then the commands of a script it is handed."""
        bare = take_off(words)
        folder = self.folders.now
        for each in bare.folders:
            folder = below(folder, each)
        command = at.command(
            bare, self.reader, node, index=len(self.found), assignments=assignments, folder=folder, ids=self.ids
        )
        self.found.append(command)
        self.handed(command, bare.script, bare.kind, at)
        return command.index

    def handed(self, command: Command, script: Word | None, kind: Within, at: Context) -> None:
        """The script that a shell gets by `-c`, by a here-document or from what is printed into it."""
        if at.scripts >= MAX_SCRIPTS:
            return
        shares = command.name == "eval"
        known = {**self.reader.constants, **dict(command.assignments)}
        inside = at.script(kind, command)
        for text in scripts(command, script, self.found):
            positional = arguments(known) if shares else text.positional
            _Walk(self.found, self.ids, self.folders if shares else Folders(command.folder)).script(
                text.text, line=text.line, column=text.column, at=inside, inherited=known, positional=positional
            )

    def loop(self, node: Node, at: Context) -> None:
        """`for x in a b`: the body once for each value that is written out, else once with `$x` as it is."""
        name, values = turns(self.reader, node)
        body = node.child_by_field_name("body")
        inner = at._replace(within=at.within | {Within.LOOP}, depth=at.depth + 1)
        over = None if values else gone_over(self.reader, node, name)
        if body is None or not (values or over):
            self.sequence(node, at)
            return
        if over:
            inner = inner._replace(parent=self.append(node, (), inner, (over,)))
        for child in node.children_by_field_name("value"):
            self.visit(child, inner)
        inner = inner._replace(parent=at.parent)
        for value in values[: 1 if Within.LOOP in at.within else MAX_TURNS]:
            with self.reader.knowing({name: value}):
                self.visit(body, inner)
        if over:
            self.visit(body, inner)

    def define(self, node: Node) -> None:
        """Remember a function, so that its body can be read with the arguments of a call."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.reader.raw(name)] = body

    def call(self, command: Command, at: Context) -> None:
        """The body of a function once more, where it depends on the arguments or on the folder of the call."""
        name = command.name or ""
        body = self.functions[name]
        told = command.arguments and "$" in self.reader.raw(body)
        caught = Within.SUBSTITUTION in at.within  # what it prints goes somewhere
        if name in self.calling or not (told or command.folder or caught) or len(self.calling) >= MAX_TURNS:
            return
        self.calling.add(name)
        with self.reader.knowing({str(number): word for number, word in enumerate(command.words)}, command.arguments):
            self.visit(body, at._replace(within=at.within | {Within.FUNCTION}, depth=at.depth + 1))
        self.calling.discard(name)
