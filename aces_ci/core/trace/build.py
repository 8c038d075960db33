"""Puts a trajectory together turn by turn: results are folded into the step that made the call.

Used by every converter and by the chain of gateway exchanges, so that one harness's trace differs from
another's in what it says, not in how it is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aces_ci.core.trace.lines import parsed, shallow
from aces_ci.core.trace.trajectory import (
    Agent,
    Extra,
    FinalMetrics,
    Metrics,
    Observation,
    ObservationResult,
    Source,
    Step,
    ToolCall,
    Trajectory,
)


@dataclass(slots=True, kw_only=True)
class Turn:
    """One step being put together; `key` names the model's reply that it came from."""

    source: Source
    key: str | None = None
    at: str | None = None
    model: str | None = None
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ObservationResult] = field(default_factory=list)
    metrics: Metrics | None = None
    extra: Extra = field(default_factory=dict)

    def call(self, identity: str, name: str, arguments: object, extra: Extra | None = None) -> None:
        """One tool call; arguments that are no object stand under `input`, so that nothing is lost."""
        given = arguments if isinstance(arguments, dict) else {"input": arguments}
        self.calls.append(ToolCall(tool_call_id=identity, function_name=name, arguments=given, extra=extra or None))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (any(map(str.strip, self.texts)) or self.thoughts or self.calls or self.results)


class TraceBuilder:
    """Turns in the order in which they happened. Not thread-safe; one a conversation."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        """Sentences about what the source did not hold or could not be read."""
        self.answered: set[str] = set()
        """Ids of the calls that have a result."""
        self.extra: Extra = {}
        """Goes beside `origin` and `lost` into the document's `extra.aces`."""
        self._turns: list[Turn] = []
        self._keys: dict[str, Turn] = {}
        self._callers: dict[str, Turn] = {}

    @property
    def keys(self) -> frozenset[str]:
        """Names of the agent's turns so far."""
        return frozenset(self._keys)

    @property
    def called(self) -> Set[str]:
        """Ids of the calls so far."""
        return self._callers.keys()

    def say(self, source: Source, text: str, *, at: str | None = None, extra: Extra | None = None) -> None:
        """A message of the user or the system."""
        if text.strip():
            self._turns.append(Turn(source=source, at=at, texts=[text], extra=extra or {}))

    def turn(self, key: str, *, at: str | None = None, model: str | None = None) -> Turn:
        """The agent's turn of that name, opened when it is new."""
        known = self._keys.get(key)
        if known is None:
            known = self._keys[key] = Turn(source="agent", key=key, at=at, model=model)
            self._turns.append(known)
        known.model = known.model or model
        return known

    def call(self, turn: Turn, identity: str, name: str, arguments: object, extra: Extra | None = None) -> None:
        """A tool call of an agent's turn; its result is expected under `identity`."""
        turn.call(identity, name, arguments, extra)
        self._callers[identity] = turn

    def result(self, identity: str, content: str, extra: Extra | None = None) -> bool:
        """What a call gave. False, with a sentence in `lost`, where no turn made that call."""
        caller = self._callers.get(identity)
        if caller is None:
            self.lost.append(f"a result for the call {identity[:60]}, which no step made")
            return False
        self.answered.add(identity)
        known = next((item for item in caller.results if item.source_call_id == identity), None)
        if known is not None:
            if known.content == content:
                return True
            caller.results.remove(known)
            content = f"{known.content}\n{content}"
            extra = {**(known.extra or {}), **(extra or {})}
        caller.results.append(ObservationResult(source_call_id=identity, content=content, extra=extra or None))
        return True

    def annotate(self, identity: str, extra: Extra) -> None:
        """More about a result that is already there: exit code, times. Unknown calls are left alone."""
        caller = self._callers.get(identity)
        for index, item in enumerate(caller.results if caller else ()):
            if item.source_call_id == identity and caller is not None:
                caller.results[index] = item.model_copy(update={"extra": {**(item.extra or {}), **extra}})

    def prompt(self, text: str | None) -> None:
        """The task, as the first user step, where the source did not show it."""
        if text and not any(turn.source == "user" and turn.texts == [text] for turn in self._turns):
            self._turns.insert(0, Turn(source="user", texts=[text]))

    def build(
        self,
        *,
        agent: str,
        version: str | None,
        model: str | None,
        origin: str,
        session: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        cost: float | None = None,
    ) -> Trajectory | None:
        """The document, or None where nothing happened. `origin` is `gateway` or `log`.

        A call without a result, which is what a kill leaves, stays and is told in `lost`.
        """
        turns = [turn for turn in self._turns if not turn.empty]
        if not turns:
            return None
        lost = list(self.lost)
        for turn in turns:
            answered = {item.source_call_id for item in turn.results}
            lost += [
                f"the result of {call.function_name} ({call.tool_call_id[:60]})"
                for call in turn.calls
                if call.tool_call_id not in answered
            ]
        untimely = sum(turn.at is not None and _moment(turn.at) is None for turn in turns)
        if untimely:
            lost.append(f"the time of {untimely} of {len(turns)} steps, which is none")
        steps = tuple(_step(number, turn) for number, turn in enumerate(turns, start=1))
        aces = {"origin": origin, **({"lost": lost} if lost else {}), **self.extra}
        return Trajectory(
            session_id=session,
            agent=Agent(
                name=agent,
                version=version or "unknown",
                model_name=model or next((turn.model for turn in turns if turn.model), None),
                tool_definitions=tuple(dict(tool) for tool in tools) if tools else None,
            ),
            steps=steps,
            final_metrics=_totals(turns, len(steps), cost),
            extra={"aces": aces},
        )


def arguments_of(raw: object) -> object:
    """A call's arguments as an object, whether they came as one or as JSON text; else what came."""
    if not isinstance(raw, str):
        return {} if raw is None else raw if shallow(raw) else "[nested too deep to be kept]"
    if not raw.strip():
        return {}
    try:
        value = parsed(raw)
    except (ValueError, RecursionError):
        return raw
    return value if isinstance(value, dict) and shallow(value) else raw


def _moment(at: str | None) -> str | None:
    """A time as ATIF has it (ISO 8601), else None: a log may hold anything there."""
    try:
        datetime.fromisoformat(at or "")
    except ValueError:
        return None
    return at


def _step(number: int, turn: Turn) -> Step:
    agent = turn.source == "agent"
    order = {call.tool_call_id: index for index, call in enumerate(turn.calls)}
    results = sorted(turn.results, key=lambda item: order.get(item.source_call_id or "", len(order)))
    return Step(
        step_id=number,
        timestamp=_moment(turn.at),
        source=turn.source,
        model_name=turn.model if agent else None,
        message="\n\n".join(text for text in turn.texts if text),
        reasoning_content="\n\n".join(turn.thoughts) or None if agent else None,
        tool_calls=tuple(turn.calls) or None,
        observation=Observation(results=tuple(results)) if results else None,
        metrics=turn.metrics if agent else None,
        llm_call_count=1 if agent and turn.metrics else None,
        extra=turn.extra or None,
    )


def _totals(turns: Sequence[Turn], steps: int, cost: float | None) -> FinalMetrics:
    def total(name: str) -> int | None:
        values = [getattr(turn.metrics, name) for turn in turns if turn.metrics]
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    costs = [turn.metrics.cost_usd for turn in turns if turn.metrics and turn.metrics.cost_usd is not None]
    return FinalMetrics(
        total_prompt_tokens=total("prompt_tokens"),
        total_completion_tokens=total("completion_tokens"),
        total_cached_tokens=total("cached_tokens"),
        total_cost_usd=cost if cost is not None else (sum(costs) if costs else None),
        total_steps=steps,
    )
