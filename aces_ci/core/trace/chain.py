"""A trajectory from what passed the gateway: turns of the model that we delivered, chained by their content.

Turns are authentic, because we fetched them; tool results are the client's claims about its world, but
exactly what the model was told. What an agent writes into its own log has no part in this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from aces_ci.core.spending.exchange import Exchange, Outcome
from aces_ci.core.trace.build import TraceBuilder
from aces_ci.core.trace.protocol import Entry, Reply, Returned, Said, delivered, history
from aces_ci.core.trace.trajectory import Extra, Metrics, Trajectory
from aces_ci.core.trial import Flag


class State(StrEnum):
    """What was noticed while chaining; none of them changes a score."""

    INJECTED_TURN = "injected_turn"
    """A request of the main conversation claims a turn that we never delivered: *tampered*."""
    DROPPED_TURN = "dropped_turn"
    """A delivered turn that no later request builds on. It stays in the trajectory."""
    REWRITTEN_TURN = "rewritten_turn"
    """A delivered turn that comes back with other words or arguments; the delivered one counts."""
    SIDE_CALL = "side_call"
    """Requests outside the main conversation: titles, summaries, whatever the client asks for itself."""
    SUBAGENT = "subagent"
    """A conversation that a tool call of the main one began."""
    COMPACTED = "compacted"
    """The client began the conversation anew with a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The trajectory, None where no turn was delivered, and what was noticed."""

    trajectory: Trajectory | None
    flags: tuple[Flag, ...] = ()
    states: Mapping[State, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, eq=False)
class _Node:
    exchange: Exchange
    entries: tuple[Entry, ...]
    reply: Reply
    parent: _Node | None = None
    injected: int = 0
    rewritten: int = 0

    @property
    def root(self) -> _Node:
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def line(self) -> Iterator[_Node]:
        node: _Node | None = self
        while node is not None:
            yield node
            node = node.parent


def chain(
    exchanges: Sequence[Exchange], *, agent: str, version: str | None, prompt: str, model: str | None = None
) -> Chain:
    """The main conversation of one trial. `prompt` is the task as it was given; it tells the main one from
    others.
    """
    nodes = _linked(exchanges)
    if not nodes:
        return Chain(trajectory=None)
    root = _main_root(nodes, prompt)
    states: Counter[State] = Counter()
    main = _main(nodes, root, prompt, states)
    line = set(_final(main).line())
    build = TraceBuilder()
    _Writer(build, main, line, states).write()
    injected = sum(node.injected for node in main)
    if injected:
        states[State.INJECTED_TURN] = injected
    states[State.REWRITTEN_TURN] += sum(node.rewritten for node in main)
    noticed = {state: count for state, count in states.items() if count}
    if noticed:
        build.extra["states"] = {state.value: count for state, count in noticed.items()}
    resolved = next((node.exchange.resolved_model for node in main if node.exchange.resolved_model), None)
    trajectory = build.build(
        agent=agent, version=version, model=resolved or model, origin="gateway", session=root.exchange.trial[:16]
    )
    flags = (Flag.TAMPERED,) if injected else ()
    return Chain(trajectory=trajectory, flags=flags, states=noticed)


def _linked(exchanges: Sequence[Exchange]) -> list[_Node]:
    """Delivered turns in order of arrival, each with the turn that its request builds on."""
    nodes: list[_Node] = []
    by_key: dict[str, _Node] = {}
    by_call: dict[str, _Node] = {}
    partial: list[str] = []
    for exchange in sorted(exchanges, key=lambda each: each.number):
        if exchange.protocol is None or exchange.request is None:
            continue
        reply = delivered(exchange.protocol, exchange.response or {})
        if exchange.outcome is not Outcome.COMPLETE:
            partial.append(" ".join(reply.text.split()))
            continue
        node = _Node(exchange=exchange, entries=history(exchange.protocol, exchange.request), reply=reply)
        for claimed in (entry for entry in node.entries if isinstance(entry, Reply) and not entry.empty):
            known = by_key.get(claimed.key)
            if known is None:
                known = next((by_call[call.identity] for call in claimed.calls if call.identity in by_call), None)
                node.rewritten += known is not None
            if known is None and not claimed.calls:
                known = _quoting(claimed, nodes)
            if known is not None:
                node.parent = known
            elif not (not claimed.calls and any(" ".join(claimed.text.split()) in cut for cut in partial)):
                node.injected += 1
        nodes.append(node)
        by_key[reply.key] = node
        by_call.update((call.identity, node) for call in reply.calls)
    return nodes


def _quoting(claimed: Reply, nodes: Sequence[_Node]) -> _Node | None:
    """The delivered turn whose text this one cuts short."""
    said = " ".join(claimed.text.split())
    return next((node for node in reversed(nodes) if said in " ".join(node.reply.text.split())), None)


def _main_root(nodes: Sequence[_Node], prompt: str) -> _Node:
    """The first conversation that is about the task and has tools; else the first with tools; else the
    first.
    """
    roots = [node for node in nodes if node.parent is None]
    wanted = " ".join(prompt.split())

    def rank(node: _Node) -> tuple[bool, bool, int]:
        return (not (wanted and _mentions(node, wanted)), not node.exchange.tools, node.exchange.number)

    return min(roots, key=rank)


def _mentions(node: _Node, wanted: str) -> bool:
    said = (entry.text for entry in node.entries if isinstance(entry, Said) and entry.role == "user")
    return any(wanted in " ".join(text.split()) for text in said)


def _main(nodes: Sequence[_Node], root: _Node, prompt: str, states: Counter[State]) -> list[_Node]:
    """The turns of the main conversation, in order; the others are counted.

    A client that asks the same again has begun the same conversation. One that begins anew with a summary that
    holds the task goes on where it was, as far as its tools are the same.
    """
    wanted = " ".join(prompt.split())
    roots = {root}
    main: list[_Node] = []
    for node in nodes:
        own = node.root
        if own not in roots and own is node and node.exchange.number > root.exchange.number:
            if node.entries == root.entries:
                roots.add(node)
            elif main and _continues(node, root, wanted):
                states[State.COMPACTED] += 1
                node.parent = main[-1]
        if node.root in roots:
            main.append(node)
        else:
            later = bool(own.exchange.tools) and own.exchange.number > root.exchange.number
            states[State.SUBAGENT if later else State.SIDE_CALL] += 1
    return main


def _continues(node: _Node, root: _Node, wanted: str) -> bool:
    same_tools = bool(node.exchange.tools) and node.exchange.tools_digest == root.exchange.tools_digest
    return same_tools and bool(wanted) and _mentions(node, wanted)


def _final(main: Sequence[_Node]) -> _Node:
    """The last turn of the work: what a client asks after an answer, without a call following, is its own
    affair.
    """
    last = main[-1]
    while last.parent is not None and last.parent in main and not last.reply.calls and not last.parent.reply.calls:
        last = last.parent
    return last


class _Writer:
    def __init__(self, build: TraceBuilder, main: Sequence[_Node], line: set[_Node], states: Counter[State]) -> None:
        self.build = build
        self.main = main
        self.line = line
        self.states = states
        self._said: set[tuple[str, str]] = set()
        self._last_skill: str | None = None
        self._skills: set[str] = set()

    def write(self) -> None:
        end = max(node.exchange.number for node in self.line)
        for node in self.main:
            if node.exchange.number > end and not node.reply.calls and node not in self.line:
                self.states[State.SIDE_CALL] += 1
                continue
            self._entries(node)
            self._turn(node)

    def _entries(self, node: _Node) -> None:
        for entry in node.entries:
            if isinstance(entry, Returned):
                self._result(entry)
            elif isinstance(entry, Said):
                self._say(entry, node.exchange.at)

    def _result(self, entry: Returned) -> None:
        if entry.identity in self._skills:
            self._last_skill = entry.identity
        if entry.identity in self.build.answered or entry.identity not in self.build.called:
            return
        extra: Extra = {} if entry.error is None else {"is_error": entry.error}
        self.build.result(entry.identity, entry.text, extra)

    def _say(self, entry: Said, at: str) -> None:
        key = (entry.role, entry.text)
        if key in self._said:
            return
        self._said.add(key)
        context = entry.text.lstrip().startswith("<") or entry.beside
        if entry.beside and self._last_skill and not entry.text.lstrip().startswith("<"):
            self.build.result(self._last_skill, entry.text)
            return
        source = "user" if entry.role == "user" else "system"
        self.build.say(
            "user" if source == "user" else "system",
            entry.text,
            at=at,
            extra={"aces": "context"} if context and source == "user" else None,
        )

    def _turn(self, node: _Node) -> None:
        exchange = node.exchange
        turn = self.build.turn(f"exchange-{exchange.number}", at=exchange.at, model=exchange.resolved_model)
        turn.texts.append(node.reply.text)
        turn.thoughts += [thought for thought in node.reply.thoughts if thought]
        turn.metrics = _metrics(exchange)
        turn.extra["exchange"] = exchange.number
        if node not in self.line:
            turn.extra["aces"] = "dropped"
            self.states[State.DROPPED_TURN] += 1
        for call in node.reply.calls:
            self.build.call(turn, call.identity, call.name, call.arguments)
            if "skill" in call.name.lower():
                self._skills.add(call.identity)


def _metrics(exchange: Exchange) -> Metrics | None:
    usage = exchange.usage
    if usage is None:
        return None
    micros = exchange.charged_micros
    return Metrics(
        prompt_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_tokens,
        cost_usd=None if micros is None else micros / 1_000_000,
    )
