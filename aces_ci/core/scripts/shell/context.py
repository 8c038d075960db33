"""What surrounds a node of a shell script's syntax tree while the script is walked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from aces_ci.core.scripts.shell.command import Command, Redirect, Within, Word
from aces_ci.core.scripts.shell.words import Reader
from aces_ci.core.scripts.shell.wrappers import Bare

MAX_DEPTH = 150
"""Nesting of syntax that is followed."""
MAX_SCRIPTS = 12
"""Scripts in scripts that are followed."""
MAX_TURNS = 8
"""Values of a loop, and calls in calls, that are followed."""

HIDING = (b"$(", b"`", b"<(", b">(")
"""How a command inside a word begins; a script without any has none."""
SURROUNDINGS = {
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
"""Node type -> what its commands are within."""
UNSURE = frozenset({Within.SUBSHELL, Within.FUNCTION, Within.LOOP, Within.BRANCH})
"""Where it is not sure that an assignment happens, or that what follows sees it."""
OWN_PROCESS = frozenset({"subshell", "command_substitution", "process_substitution", "function_definition"})
"""Nodes whose `cd` does not reach what stands after them; a function's only where it is called."""


@dataclass(slots=True)
class Ids:
    """Numbers of pipelines, one after the other over a script with all that it is handed."""

    pipeline: int = -1

    def next(self) -> int:
        """A number that no pipeline has."""
        self.pipeline += 1
        return self.pipeline


class Context(NamedTuple):
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
    given: tuple[Word, ...] = ()
    """Where `find` looks that runs the script these commands stand in."""

    def inside(self, within: Within, parent: int | None) -> Context:
        """A fresh line of commands one level in; what the outer command is joined to does not reach it."""
        return Context(
            within=self.within | {within}, parent=parent, depth=self.depth + 1, scripts=self.scripts, given=self.given
        )

    def script(self, kind: Within, command: Command) -> Context:
        """Inside a script that `command` is handed."""
        within = command.within | {kind}
        return self.inside(kind, command.index)._replace(within=within, scripts=self.scripts + 1, given=command.given)

    def command(
        self,
        bare: Bare,
        reader: Reader,
        node: Node,
        *,
        index: int,
        assignments: tuple[tuple[str, Word], ...],
        folder: str,
        ids: Ids,
    ) -> Command:
        """The command that a node is here, its wrappers taken off."""
        line, column = reader.start(node)
        end_line, end_column = reader.end(node)
        return Command(
            index=index,
            words=bare.words,
            wrappers=(*self.wrappers, *bare.names),
            assignments=(*assignments, *bare.assignments),
            redirects=self.redirects,
            pipeline=self.pipeline if self.pipeline is not None else ids.next(),
            position=self.position,
            operator=self.operator,
            background=self.background,
            within=self.within | bare.within,
            parent=self.parent,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            source=reader.raw(node)[:400],
            folder=folder,
            given=bare.given or self.given,
            positional=bare.positional,
        )
