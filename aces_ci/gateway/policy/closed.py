"""Closed shapes: every field of every level is named, and what is not named is refused.

Shapes only look. What is forwarded is the body as the strict parser read it; a shape cannot change it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from aces_ci.gateway.strict_json import RefusedError

Word = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_.-]*$")]
"""A short machine word whose vocabulary is the provider's and grows."""
Name = Annotated[str, Field(max_length=256)]
"""Names and ids of tools and calls."""
Schema = dict[str, Any]
"""A JSON schema: data to the model, executed by nobody."""
DataUrl = Annotated[str, Field(pattern=r"^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}$")]
"""An image inside the request. Any other URL would be fetched by the provider, over its network."""
Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]*={0,2}$")]


class Closed(BaseModel):
    """A shape without room for anything else, and without conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, protected_namespaces=())


class CacheControl(Closed):
    """The five-minute cache only: longer ones cost more to write and last beyond the trial."""

    type: Literal["ephemeral"]
    ttl: Literal["5m"] | None = None


def check(shape: type[Closed], body: dict[str, Any]) -> None:
    """Refuse what the shape does not name.

    Raises:
        RefusedError: with the path of the first offending field.
    """
    try:
        shape.model_validate(body)
    except ValidationError as error:
        first = max(error.errors(include_url=False, include_input=False), key=_telling)
        raise RefusedError(_path(first, body), _reason(first)) from None


def _telling(error: ErrorDetails) -> tuple[int, int]:
    """Of alternatives (text or blocks) the one that got furthest is the one that was meant."""
    rank = {"literal_error": 3, "extra_forbidden": 2, "string_type": 0}.get(error["type"], 1)
    return len(error["loc"]), rank


def _reason(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return "is not allowed"
    if error["type"] == "union_tag_invalid":
        return f"{error['ctx']['tag'][:40]!r} is not allowed"
    return error["msg"][:160]


def _path(error: ErrorDetails, body: Any) -> str:
    """The error's location without the names of alternatives, which are not in the body."""
    _, steps = _resolve(error["loc"], body, absent=error["type"] == "missing")
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step[:60]}" for step in steps)
    return path.removeprefix(".") or "body"


_Steps = tuple[int | str, ...]
_NOWHERE = object()


def _resolve(loc: _Steps, here: Any, *, absent: bool) -> tuple[tuple[bool, int], _Steps]:
    """The steps of `loc` that lead through `here`, with how good a reading that is.

    An alternative may be called like a field (`text`). The better reading takes the last step, then most steps.
    """
    if not loc:
        return (True, 0), ()
    step, rest = loc[0], loc[1:]
    (ends, count), steps = _resolve(rest, here, absent=absent)
    skipped = ((ends and bool(rest), count), steps)
    below: Any = _NOWHERE
    if isinstance(here, dict):
        below = here.get(step, _NOWHERE)
    elif isinstance(here, list) and isinstance(step, int) and step < len(here):
        below = here[step]
    if below is not _NOWHERE:
        (ends, count), steps = _resolve(rest, below, absent=absent)
        return max(((ends, count + 1), (step, *steps)), skipped, key=lambda reading: reading[0])
    if absent and not rest and isinstance(here, dict):
        return (True, 1), (step,)
    return skipped
