"""From the bytes that a sandbox sent to the bytes that are forwarded, or a refusal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from aces_ci.core.spending.exchange import Protocol
from aces_ci.gateway.policy import chat, messages, responses
from aces_ci.gateway.policy.request import Notes, Terms, images, tools_digest
from aces_ci.gateway.strict_json import RefusedError, dump, load

_POLICIES: Mapping[Protocol, ModuleType] = {
    Protocol.MESSAGES: messages,
    Protocol.RESPONSES: responses,
    Protocol.CHAT: chat,
}
IMAGE_TOKENS = 10_000
"""More than any listed model counts for one image at its finest setting."""
OVERHEAD_TOKENS = 2_000
"""What a provider adds by itself, such as its own prompt for the use of tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """A request that may go upstream."""

    protocol: Protocol
    body: dict[str, Any]
    raw: bytes
    digest: str
    """sha256 hex of `raw`."""
    stream: bool
    max_output: int
    """Output tokens that this request can cost at most."""
    max_input: int
    """Input tokens that it can cost at most: a token is at least one byte of what the model is shown."""
    tools: tuple[str, ...]
    tools_digest: str | None
    drops: tuple[str, ...]


def admit(protocol: Protocol, raw: bytes, terms: Terms) -> Forward:
    """Parse strictly, drop, clamp, check, write anew.

    Raises:
        RefusedError: nothing of it may be forwarded.
    """
    if protocol not in terms.protocols:
        raise RefusedError("endpoint", f"this trial's provider does not speak {protocol}")
    body = load(raw)
    notes = Notes()
    policy = _POLICIES[protocol]
    apply: Callable[[dict[str, Any], Terms, Notes], int] = policy.apply
    output = apply(body, terms, notes)
    offered: list[tuple[str, Any]] = policy.tools(body)
    written = dump(body)
    pictured = b'"image' in written or b'"input_image"' in written
    count, size = images(body.get("messages") or body.get("input")) if pictured else (0, 0)
    repeated = messages.unfolded(body) if b'"tool_reference"' in written else 0
    return Forward(
        protocol=protocol,
        body=body,
        raw=written,
        digest=hashlib.sha256(written).hexdigest(),
        stream=bool(body.get("stream")),
        max_output=output,
        max_input=max(len(written) - size, 0) + repeated + count * IMAGE_TOKENS + OVERHEAD_TOKENS,
        tools=tuple(name for name, _ in offered),
        tools_digest=tools_digest(offered),
        drops=tuple(sorted(notes.lines)),
    )
