"""A document that breaks the schema, with its broken places filled in: so the rest can be asked for faults as well."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from aces_ci.core.trace.rules import Fault
from aces_ci.core.trace.trajectory import Trajectory

_ROUNDS = 4
"""A place that is filled may hold further broken ones: an item of a list first, then its fields."""
_NEWEST = "ATIF-v1.8"
_FIELDS: dict[str, Any] = {
    "schema_version": _NEWEST,
    "agent": {"name": "", "version": ""},
    "name": "",
    "version": "",
    "source": "agent",
    "message": "",
    "tool_call_id": "",
    "function_name": "",
    "arguments": {},
    "results": [],
    "media_type": "image/png",
    "path": "",
    "type": "text",
}
"""What a required field holds where the document has nothing that fits: no rule has anything against it."""
_ITEMS: dict[str, Any] = {
    "steps": {},
    "tool_calls": {},
    "results": {},
    "subagent_trajectories": {},
    "subagent_trajectory_ref": {"trajectory_path": "."},
    "message": {"type": "text", "text": ""},
    "content": {"type": "text", "text": ""},
}
"""The same for an item of a list."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The document that can be read, and the JSON pointers of what is not its own."""

    trajectory: Trajectory
    places: frozenset[str]

    def own(self, faults: Iterable[Fault]) -> tuple[Fault, ...]:
        """The faults that the document would have whatever stood in the filled places."""
        return tuple(fault for fault in faults if not any(_hangs_on(fault.pointer, place) for place in self.places))


def details(error: ValidationError) -> list[ErrorDetails]:
    """What is wrong, place by place. A list whose only items are broken is not, as pydantic says, too short as well."""
    found = error.errors(include_url=False, include_input=False)
    places = [item["loc"] for item in found]
    return [
        item
        for item in found
        if item["type"] != "too_short"
        or not any(len(place) > len(item["loc"]) and place[: len(item["loc"])] == item["loc"] for place in places)
    ]


def filled(data: bytes, error: ValidationError) -> Filled | None:
    """None where the document is no JSON object, or cannot be filled."""
    if any(item["type"] == "json_invalid" for item in details(error)):
        return None
    document = json.loads(data)
    places: set[str] = set()
    for _ in range(_ROUNDS):
        for item in details(error):
            place = _fill(document, item)
            if place is None:
                return None
            places.add(place)
        try:
            return Filled(Trajectory.model_validate_json(json.dumps(document)), frozenset(places))
        except ValidationError as further:
            error = further
    return None


def _fill(document: Any, item: ErrorDetails) -> str | None:
    """Fills one place of the document; its pointer, or None where there is no document to fill."""
    if not isinstance(document, dict):
        return None
    # Behind the last key of the document a location names the kinds that were tried there.
    keys: list[str | int] = []
    holder: Any = document
    here: Any = document
    for part in item["loc"]:
        if isinstance(here, dict) and isinstance(part, str) and (part in here or item["type"] == "missing"):
            holder, here = here, here.get(part)
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            holder, here = here, here[part]
        else:
            continue
        keys.append(part)
    if not keys:
        return None
    *above, last = keys
    if isinstance(last, int):
        holder[last] = json.loads(json.dumps(_ITEMS.get(str(above[-1]), 0)))
    elif last == "step_id":
        holder[last] = int(above[-1]) + 1
    elif last == "steps":
        holder[last] = [{"step_id": 1, "source": "agent", "message": ""}]
    elif last in _FIELDS:
        holder[last] = json.loads(json.dumps(_FIELDS[last]))
    else:
        holder.pop(last, None)
    return "".join(f"/{key}" for key in keys)


def _hangs_on(pointer: str, place: str) -> bool:
    """Whether a fault at `pointer` may come from what was filled in at `place`."""
    if _within(pointer, place) or _within(place, pointer):
        return True
    above, _, field = place.rpartition("/")
    if field == "source":
        return _within(pointer, above) and not pointer.endswith(("/step_id", "/timestamp"))
    if field == "schema_version":
        return _within(pointer, above) and "/subagent_trajectory_ref/" in pointer
    if field == "steps":
        return pointer == f"{above}/final_metrics/total_steps"
    step, calls, _ = place.partition("/tool_calls")
    return bool(calls) and _within(pointer, f"{step}/observation")


def _within(pointer: str, place: str) -> bool:
    return pointer == place or pointer.startswith(f"{place}/")
