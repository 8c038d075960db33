"""A harness's own log beside the trajectory from the gateway: it may add times and exit codes, nothing else.

It does so where call, arguments and result agree. Where the log claims what never passed the gateway it is
forged, or another run's: *trace mismatch*. What it lacks is no offence, a killed agent writes no more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.trace.trajectory import Observation, ObservationResult, Step, ToolCall, Trajectory, text_of

_ADDS = ("exit_code", "is_error", "at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """The trajectory with what could be added, and a sentence for every claim of the log that is not true."""

    trajectory: Trajectory
    mismatches: tuple[str, ...] = ()


def annotate(authentic: Trajectory, log: Trajectory) -> Annotated:
    """The authentic trajectory, annotated. Its steps, calls, arguments and results stay as they are."""
    claimed = {call.tool_call_id: (step, call) for step in log.steps for call in step.tool_calls or ()}
    said = [_folded(step.text) for step in authentic.steps if step.source == "agent"]
    made = {call.tool_call_id: call for step in authentic.steps for call in step.tool_calls or ()}
    mismatches = [
        *(_call_mismatch(call, made.get(identity)) for identity, (_, call) in claimed.items()),
        *(_text_mismatch(step, said) for step in log.steps),
    ]
    steps = tuple(_step(step, claimed) for step in authentic.steps)
    return Annotated(
        trajectory=authentic.model_copy(update={"steps": steps}),
        mismatches=tuple(mismatch for mismatch in mismatches if mismatch),
    )


def _call_mismatch(claimed: ToolCall, made: ToolCall | None) -> str | None:
    if claimed.tool_call_id.startswith("item_"):
        return None  # Codex's output numbers its items itself: such an id says nothing
    if made is None:
        return f"the log claims a call of {claimed.function_name[:40]} that no model made"
    if _canonical(claimed) != _canonical(made) and claimed.function_name != "invalid":
        return f"the log claims other arguments for a call of {made.function_name[:40]}"
    return None


def _text_mismatch(step: Step, said: list[str]) -> str | None:
    claimed = _folded(step.text)
    if step.source != "agent" or not claimed or any(claimed in text for text in said):
        return None
    parts = [_folded(part) for part in step.text.split("\n\n")]
    if all(any(part in text for text in said) for part in parts):
        return None
    return "the log claims words of the model that it never said"


def _step(step: Step, claimed: Mapping[str, tuple[Step, ToolCall]]) -> Step:
    if step.observation is None:
        return step
    made = {call.tool_call_id: call for call in step.tool_calls or ()}
    results = tuple(_result(result, made, claimed) for result in step.observation.results)
    return step.model_copy(update={"observation": Observation(results=results)})


def _result(
    result: ObservationResult, made: Mapping[str, ToolCall], claimed: Mapping[str, tuple[Step, ToolCall]]
) -> ObservationResult:
    identity = result.source_call_id or ""
    if identity not in claimed or identity not in made:
        return result
    step, call = claimed[identity]
    if _canonical(call) != _canonical(made[identity]):
        return result
    other = (
        next((each for each in step.observation.results if each.source_call_id == identity), None)
        if step.observation
        else None
    )
    if other is None or not _agree(text_of(result.content), text_of(other.content)):
        return result
    added = {key: value for key, value in (other.extra or {}).items() if key in _ADDS}
    return result.model_copy(update={"extra": {**added, **(result.extra or {})}}) if added else result


def _agree(one: str, other: str) -> bool:
    """Equal, or one inside the other: clients shorten what they log, and wrap what they send."""
    first, second = _folded(one), _folded(other)
    return first == second or (bool(first) and bool(second) and (first in second or second in first))


def _canonical(call: ToolCall) -> str:
    return json.dumps([call.function_name, call.arguments], sort_keys=True, default=str)


def _folded(text: str) -> str:
    return " ".join(text.split())
