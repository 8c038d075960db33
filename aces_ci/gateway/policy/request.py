"""Steps that the policies of all protocols share: dropping, clamping, naming tools."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from aces_ci.core.spending.exchange import Protocol
from aces_ci.gateway.strict_json import RefusedError, canonical

MAX_NOTES = 100
IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})
_HOLDERS = ("content", "output")
"""Fields of turns, results and items that hold blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What this trial's requests must keep to."""

    model: str
    max_output: int
    cache_key: str = ""
    chat_limit: str = "max_completion_tokens"
    protocols: tuple[Protocol, ...] = tuple(Protocol)
    """What the upstream speaks."""


@dataclass(slots=True)
class Notes:
    """What was taken out of one request, in words that do not depend on where it stood."""

    lines: set[str] = field(default_factory=set)

    def add(self, line: str) -> None:
        """Note it once."""
        self.lines.add(line)
        if len(self.lines) > MAX_NOTES:
            raise RefusedError("body", f"more than {MAX_NOTES} different things would have to be dropped")

    def field(self, name: str) -> None:
        """A whole field was dropped."""
        self.add(f"field:{name}")

    def tool(self, kind: object) -> None:
        """A tool that would run at the provider was dropped."""
        self.add(f"tool:{printable(kind)}")

    def clamp(self, name: str, wish: int, limit: int) -> None:
        """A number was lowered."""
        self.add(f"clamp:{name} {wish}->{limit}")


def printable(value: object, length: int = 40) -> str:
    """At most `length` harmless characters of something untrusted."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "_.-/") else "?" for letter in str(value)[:length]
    )


def common(body: dict[str, Any], terms: Terms, drop: Iterable[str], notes: Notes) -> None:
    """Check the model and `stream`; remove the fields that are dropped in silence."""
    if body.get("model") != terms.model:
        raise RefusedError("model", f"{printable(body.get('model'))!r} is not this trial's model")
    for name in drop:
        if name in body:
            del body[name]
            notes.field(name)
    if not isinstance(body.get("stream", False), bool):
        raise RefusedError("stream", "not a boolean")


def limit(body: dict[str, Any], name: str, terms: Terms, notes: Notes) -> int:
    """Clamp an output limit that is there, or put ours; the limit that then holds."""
    wish = body.get(name)
    if wish is None:
        body[name] = terms.max_output
        return terms.max_output
    if not isinstance(wish, int) or isinstance(wish, bool) or wish < 1:
        raise RefusedError(name, "not a positive whole number")
    if wish > terms.max_output:
        notes.clamp(name, wish, terms.max_output)
        body[name] = terms.max_output
    return min(wish, terms.max_output)


def listed(body: dict[str, Any], name: str) -> list[Any]:
    """The list at `name`, empty where it is absent.

    Raises:
        RefusedError: something else stands there.
    """
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RefusedError(name, "not a list")
    return value


def keep_tools(body: dict[str, Any], kept: list[Any]) -> None:
    """Put the tools that stay; with none left, a choice among them has no meaning either."""
    if "tools" not in body:
        return
    if kept:
        body["tools"] = kept
        return
    del body["tools"]
    for name in ("tool_choice", "parallel_tool_calls"):
        body.pop(name, None)


def tools_digest(shapes: Iterable[tuple[str, Any]]) -> str | None:
    """sha256 of names and parameter schemas, in no particular order; None where no tool is offered.

    Descriptions are left out: a harness may list skills there, which is the one difference between arms.
    """
    rows = sorted(canonical([name, schema]) for name, schema in shapes)
    return hashlib.sha256(b"\n".join(rows)).hexdigest() if rows else None


def images(value: Any) -> tuple[int, int]:
    """How many images a validated body holds, and how many bytes of it they take.

    Only where the shapes let an image stand: a tool's input is the agent's own, and may be text that calls itself one.
    """
    count = size = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(part for part in item if not isinstance(part, str))
        elif isinstance(item, dict):
            if item.get("type") in IMAGE_TYPES:
                count += 1
                size += _longest(item)
            else:
                stack.extend(item[name] for name in _HOLDERS if name in item)
    return count, size


def _longest(image: dict[str, Any]) -> int:
    inner = [part for part in image.values() if isinstance(part, dict)]
    texts = [text for part in (image, *inner) for text in part.values() if isinstance(text, str)]
    return max((len(text) for text in texts), default=0)
