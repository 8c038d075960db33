"""Closed shapes: every field of every level is named, and what is not named is refused.

Shapes only look. What is forwarded is the body as the strict parser read it; a shape cannot change it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
        first = _deepest(error)
        raise RefusedError(_path(first["loc"], body), _reason(first)) from None


def _deepest(error: ValidationError) -> Any:
    """Of alternatives (text or blocks) the one that got furthest is the one that was meant."""
    return max(error.errors(include_url=False, include_input=False), key=lambda item: len(item["loc"]))


def _reason(item: Any) -> str:
    if item["type"] == "extra_forbidden":
        return "is not allowed"
    if item["type"] == "union_tag_invalid":
        return f"{item['ctx']['tag'][:40]!r} is not allowed"
    return str(item["msg"])[:160]


def _path(loc: tuple[int | str, ...], body: Any) -> str:
    """The error's location without the names of alternatives, which are not in the body."""
    path = ""
    here = body
    for index, part in enumerate(loc):
        if isinstance(part, int) and isinstance(here, list) and part < len(here):
            path += f"[{part}]"
            here = here[part]
        elif isinstance(here, dict) and (part in here or index == len(loc) - 1):
            path += f".{str(part)[:60]}" if path else str(part)[:60]
            here = here.get(part)
    return path or "body"
