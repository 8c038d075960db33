"""Which commands of a script ran and how each ended, as far as its shape and the exit code of the whole tell.

`false && x` never runs x; `x; exit 0` says nothing about how x ended; `cd y && x` that ended well ran both well. What
neither says is None. The tree is solved like a puzzle: what is known of a part goes down to its parts and up again
until nothing new follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.scripts.deeds.flow_tree import Kind, Node, tree
from aces_ci.core.scripts.shell.command import Command

ROUNDS = 6
"""How often facts go down the tree; each round settles at least one level of alternatives."""
_ENDINGS = frozenset({"exit", "return"})
_ALWAYS: Mapping[str, bool] = {"true": True, ":": True, "echo": True, "printf": True, "export": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of one command."""

    ran: bool | None = None
    ended: bool | None = None
    """True: with exit code 0. None where it did not run, too."""


Hint = Callable[[Command], Fate]
"""What else is known of one command, as by what the whole printed."""


def fates(
    script: str, commands: Sequence[Command], success: bool | None, hint: Hint = lambda command: Fate()
) -> tuple[Fate, ...]:
    """The fate of each of `commands`, which are those that `commands.parse` found in `script`.

    `success` is whether the whole ended with exit code 0, None where nobody knows.
    """
    if len(commands) == 1 and commands[0].index == 0 and _alone(script):
        told = hint(commands[0])
        return (Fate(ran=True, ended=success if success is not None else told.ended),)
    root = tree(script, commands)
    nodes = {command.index: node for node in root.walk() for command in node.commands}
    for node in nodes.values():
        _hinted(node, [hint(command) for command in node.commands])
    rules = _Rules(
        calls={command.name: node for node in nodes.values() for command in node.commands if command.name},
        strict=any(_sets(node, "e", "errexit") for node in nodes.values()),
        piped=any(_sets(node, "", "pipefail") for node in nodes.values()),
    )
    _learn(root, ran=True)
    for _ in range(ROUNDS):
        _ending(root, success, strict=rules.strict)
        before = [(node.ran, node.ended) for node in root.walk()]
        _down(root, rules)
        if before == [(node.ran, node.ended) for node in root.walk()]:
            break
    return tuple(_fate(command, nodes, commands) for command in commands)


def _alone(script: str) -> bool:
    """Whether a script of one command is that command and nothing around it: nearly every call of an agent."""
    return not any(mark in script for mark in (";", "&", "|", "!", "(", "{", "`", "\n"))


def _hinted(node: Node, given: Sequence[Fate]) -> None:
    """What every turn of a loop agrees on, and what a program always says."""
    _learn(node, ran=_agreed(each.ran for each in given), ended=_agreed(each.ended for each in given))
    if not node.parts:
        _learn(node, ended=_ALWAYS.get(node.commands[0].name or ""))


def _agreed(values: Iterable[bool | None]) -> bool | None:
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _sets(node: Node, letter: str, name: str) -> bool:
    """Whether a command is `set -e`, `set -o pipefail` or a cluster with it."""
    if node.commands[0].name != "set":
        return False
    words = [word.shape for word in node.commands[0].arguments]
    return name in words or any(letter and word[:1] == "-" and letter in word[1:] for word in words)


def _ending(root: Node, success: bool | None, *, strict: bool) -> None:
    """What the exit code says: of the last statement, where no `exit` came before it; of every `exit` with a number."""
    leaving = list(_leaving(root))
    for node in leaving:
        argv = node.commands[0].argv
        code = argv[1] if len(argv) > 1 else None
        if success is not None and code is not None and (code == "0") is not success:
            _learn(node, ran=False)
    if all(node.ran is False for node in leaving) and not (strict and success is False):
        _learn(root, ended=success)


def _leaving(node: Node) -> Iterator[Node]:
    """The commands of this shell itself that end it."""
    if node.commands and node.commands[0].name in _ENDINGS:
        yield node
    if node.kind is not Kind.APART:
        for part in node.parts:
            yield from _leaving(part)


def _learn(node: Node, *, ran: bool | None = None, ended: bool | None = None) -> None:
    """Fill in what is not known yet; what is known stays."""
    node.ran = ran if node.ran is None else node.ran
    node.ended = ended if node.ended is None else node.ended


def _both(*values: bool | None) -> bool | None:
    return False if False in values else None if None in values else True


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


@dataclass(frozen=True, slots=True)
class _Rules:
    """What holds in the whole script. `calls` are its commands by name, for functions."""

    calls: Mapping[str, Node]
    strict: bool
    """`set -e`"""
    piped: bool
    """`set -o pipefail`"""


def _down(node: Node, rules: _Rules) -> None:
    step = _STEPS.get(node.kind)
    if step is not None and node.parts:
        step(node, rules)
    for part in node.parts:
        if node.ran is False:
            _learn(part, ran=False)
        _down(part, rules)


def _command(node: Node, rules: _Rules) -> None:
    """The script that a shell was handed ends as the shell does."""
    for part in node.parts:
        _learn(part, ran=node.ran)
        _same(node, part)


def _negated(node: Node, rules: _Rules) -> None:
    part = node.parts[0]
    _learn(part, ran=node.ran, ended=_not(node.ended))
    _learn(node, ended=_not(part.ended))


def _pipe(node: Node, rules: _Rules) -> None:
    for part in node.parts:
        _learn(part, ran=node.ran, ended=True if rules.piped and node.ended else None)
    _same(node, node.parts[-1])


def _loop(node: Node, rules: _Rules) -> None:
    for part in node.parts:
        _learn(part, ran=node.ran, ended=node.ended)


def _function(node: Node, rules: _Rules) -> None:
    call = rules.calls.get(node.name)
    for part in node.parts:
        _learn(part, ran=call.ran if call else False)


def _beside(node: Node, rules: _Rules) -> None:
    _learn(node, ended=True)
    for part in node.parts:
        _learn(part, ran=node.ran)


def _same(one: Node, other: Node) -> None:
    _learn(one, ended=other.ended)
    _learn(other, ended=one.ended)


def _sequence(node: Node, rules: _Rules) -> None:
    strict = rules.strict
    reached = node.ran
    for part in node.parts:
        _learn(part, ran=reached)
        if part.ran and reached is None:
            reached = True
        leaving = [each.ran for each in _leaving(part)] if part.kind is not Kind.APART else []
        if True in leaving:
            reached = False
        elif any(each is None for each in leaving):
            reached = _both(reached, None)
        if strict:
            if node.ended:
                _learn(part, ended=True)
            reached = _both(reached, part.ended) if part.kind is not Kind.OR else reached
    if node.parts and not any(each.ran is not False for part in node.parts for each in _leaving(part)):
        last = node.parts[-1]
        if not strict or node.ended:
            _same(node, last)


def _chain(node: Node, rules: _Rules) -> None:
    """`a && b` and `a || b`: the second runs where the first ended so that it goes on."""
    first, second = node.parts
    goes_on = node.kind is Kind.AND
    _learn(first, ran=node.ran)
    goes = first.ended if goes_on else _not(first.ended)
    _learn(second, ran=_both(node.ran, goes))
    if second.ran is True:
        _learn(first, ended=goes_on)
    elif second.ran is False and node.ran:
        _learn(first, ended=not goes_on)
    if node.ended is goes_on:  # a well ended `&&`, a badly ended `||`: both parts ended so
        _learn(first, ended=goes_on)
        _learn(second, ended=goes_on)
    elif first.ended is goes_on and node.ended is not None:
        _learn(second, ended=node.ended)
    elif node.ended is (not goes_on) and second.ended is goes_on:  # the second would not have ended so
        _learn(first, ended=not goes_on)
    if first.ended is (not goes_on):
        _learn(node, ended=first.ended)
    elif first.ended is goes_on:
        _learn(node, ended=second.ended)


def _choice(node: Node, rules: _Rules) -> None:
    condition, *ways = node.parts
    _learn(condition, ran=node.ran)
    for way, wanted in zip(ways, (True, False), strict=False):
        if way.ran is not None and node.ran:
            _learn(condition, ended=wanted is way.ran)
    taken = (condition.ended, _not(condition.ended))
    for way, chosen in zip(ways, taken, strict=False):
        _learn(way, ran=_both(node.ran, chosen))
        if way.ran:
            _same(node, way)


_STEPS: Mapping[Kind, Callable[[Node, _Rules], None]] = {
    Kind.COMMAND: _command,
    Kind.SEQUENCE: _sequence,
    Kind.APART: _sequence,
    Kind.AND: _chain,
    Kind.OR: _chain,
    Kind.NOT: _negated,
    Kind.PIPE: _pipe,
    Kind.IF: _choice,
    Kind.LOOP: _loop,
    Kind.FUNCTION: _function,
    Kind.BESIDE: _beside,
}
"""How what is known of a node and of its parts follow from each other; of MAYBE nothing follows."""


def _fate(command: Command, nodes: Mapping[int, Node], commands: Sequence[Command]) -> Fate:
    node = nodes.get(command.index)
    if node is not None:
        return Fate(ran=node.ran, ended=node.ended if node.ran is not False else None)
    if command.parent is None or command.parent >= command.index:
        return Fate()
    return Fate(ran=_fate(commands[command.parent], nodes, commands).ran)
