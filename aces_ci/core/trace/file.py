"""Bytes to an ATIF trajectory and back: reads 1.0 to 1.8, writes 1.7."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.trace.filled import details, filled
from aces_ci.core.trace.rules import Fault, faults
from aces_ci.core.trace.trajectory import WRITES, ContentPart, ObservationResult, Step, SubagentRef, Trajectory

_NESTED = (tuple, BaseModel)
BYTES_LIMIT = 64 * 1024 * 1024
"""The longest document that is read; a run of 500 calls with 64 kB observations is half of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document and what is to be said of it. `trajectory` None: `faults` holds the errors that prevented
    it.
    """

    trajectory: Trajectory | None
    faults: tuple[Fault, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the public validator accepts it."""
        return self.trajectory is not None and not any(fault.error for fault in self.faults)


def inspect(data: bytes) -> Reading:
    """Read a document without raising; every fault is told."""
    if len(data) > BYTES_LIMIT:
        return Reading(trajectory=None, faults=(Fault(pointer="", message=f"longer than {BYTES_LIMIT} bytes"),))
    try:
        trajectory = Trajectory.model_validate_json(data)
    except ValidationError as error:
        told = tuple(
            Fault(pointer="".join(f"/{part}" for part in item["loc"]), message=item["msg"]) for item in details(error)
        )
        rest = filled(data, error)
        further = rest.own(_all(rest.trajectory)) if rest else ()
        return Reading(trajectory=None, faults=(*told, *further))
    return Reading(trajectory=trajectory, faults=tuple(_all(trajectory)))


def _all(trajectory: Trajectory) -> Iterator[Fault]:
    yield from faults(trajectory)
    for pointer in _unknown(trajectory, ""):
        yield Fault(
            pointer=pointer, message="a key that ATIF does not know: the public validator forbids it, here it is kept"
        )


def read(data: bytes, *, source: str) -> Trajectory:
    """A document that may be graded: valid but for keys that ATIF does not know, references of before 1.7 resolved.

    Raises:
        UsageError: it is not valid ATIF; says where first and how many more.
    """
    reading = inspect(data)
    broken = reading.faults if reading.trajectory is None else faults(reading.trajectory)
    errors = [fault for fault in broken if fault.error]
    if reading.trajectory is None or errors:
        first = errors[0]
        more = f" (one of {len(errors)} faults)" if len(errors) > 1 else ""
        raise UsageError(
            f"{source} is not a valid ATIF trajectory",
            code="trajectory",
            path=source,
            at=first.pointer or "the document",
            why=f"{first.message}{more}",
            do=f"aces-ci trace validate {source}, or convert the agent's log with aces-ci trace convert",
        )
    return _resolved(reading.trajectory)


def write(trajectory: Trajectory) -> bytes:
    """The document as ATIF 1.7 in JSON, UTF-8, one line feed at its end.

    Sounds (1.8) become a text part that names their path; keys that ATIF does not know are left out,
    because the public validator forbids them; surrogates without a partner become question marks.

    Raises:
        ValueError: the document breaks a rule of ATIF; a bug of whoever built it.
    """
    broken = [fault for fault in faults(trajectory) if fault.error]
    if broken:
        raise ValueError(f"not ATIF: {broken[0].pointer}: {broken[0].message}")
    return json.dumps(_plain(_resolved(trajectory)), ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"


def _plain(value: object) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, ContentPart) and value.type == "audio":
        return {"type": "text", "text": f"[audio: {value.source.path if value.source else '?'}]"}
    if isinstance(value, BaseModel):
        fields = ((name, getattr(value, name)) for name in type(value).model_fields)
        known = ((name, item) for name, item in fields if item is not None and not _endless(item))
        return {name: WRITES if name == "schema_version" else _plain(item) for name, item in known}
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value) if _endless(value) else value


def _endless(value: object) -> bool:
    """A number that JSON has no spelling for: a sum of prices that a log made up may come to one."""
    return isinstance(value, float) and not math.isfinite(value)


def _resolved(trajectory: Trajectory) -> Trajectory:
    """The same document without references that name a session only, which 1.7 no longer allows.

    Such a reference gets the id of the embedded child of that session; where there is none it moves to
    `extra`.
    """
    known = {child.session_id: child.trajectory_id for child in trajectory.subagent_trajectories or ()}

    def refer(ref: SubagentRef) -> SubagentRef | None:
        if ref.trajectory_id or ref.trajectory_path:
            return ref
        target = known.get(ref.session_id)
        return ref.model_copy(update={"trajectory_id": target}) if target else None

    def result(item: ObservationResult) -> ObservationResult:
        refs = item.subagent_trajectory_ref
        if not refs or all(ref.trajectory_id or ref.trajectory_path for ref in refs):
            return item
        kept = tuple(found for ref in refs if (found := refer(ref)))
        lost = [ref.session_id for ref in refs if refer(ref) is None]
        extra = {**(item.extra or {}), **({"subagent_sessions": lost} if lost else {})}
        return item.model_copy(update={"subagent_trajectory_ref": kept or None, "extra": extra or None})

    def step(item: Step) -> Step:
        if item.observation is None:
            return item
        results = tuple(result(each) for each in item.observation.results)
        if results == item.observation.results:
            return item
        return item.model_copy(update={"observation": item.observation.model_copy(update={"results": results})})

    steps = tuple(step(item) for item in trajectory.steps)
    return trajectory if steps == trajectory.steps else trajectory.model_copy(update={"steps": steps})


def _unknown(value: object, at: str) -> Iterator[str]:
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            if isinstance(item, BaseModel):
                yield from _unknown(item, f"{at}/{index}")
    elif isinstance(value, BaseModel):
        for key in value.model_extra or ():
            yield f"{at}/{key}"
        for name, item in value.__dict__.items():
            if isinstance(item, _NESTED):
                yield from _unknown(item, f"{at}/{name}")
