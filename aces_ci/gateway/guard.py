"""The request line and headers: what is let in, and what is sent on."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence

from aces_ci.core.spending.exchange import Protocol
from aces_ci.gateway.policy.request import printable
from aces_ci.gateway.strict_json import MAX_BYTES, RefusedError

PATHS: Mapping[Protocol, str] = {
    Protocol.MESSAGES: "/v1/messages",
    Protocol.RESPONSES: "/v1/responses",
    Protocol.CHAT: "/v1/chat/completions",
}
_TARGETS: Mapping[str, Protocol] = {
    **{path: protocol for protocol, path in PATHS.items()},
    "/v1/messages?beta=true": Protocol.MESSAGES,
}
LOCAL = frozenset({("HEAD", "/api/hello"), ("GET", "/api/hello"), ("GET", "/v1/models"), ("HEAD", "/")})
"""Answered here: questions that a CLI asks before it works."""
MAX_HEADERS = 64 * 1024
_ONCE = frozenset(
    {
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "transfer-encoding",
        "upgrade",
        "x-api-key",
    }
)
_NEVER = ("transfer-encoding", "content-encoding", "upgrade", "trailer", "te", "expect")
"""Chunked bodies among them: no CLI sends one, and every smuggling trick needs one."""
BETAS = frozenset(
    {
        "advanced-tool-use-2025-11-20",
        "claude-code-20250219",
        "context-management-2025-06-27",
        "interleaved-thinking-2025-05-14",
        "thinking-display-updates-2026-08-18",
        "thinking-token-count-2026-05-13",
    }
)
ANTHROPIC_VERSION = "2023-06-01"

RawHeaders = Sequence[tuple[bytes, bytes]]


def target(method: str, path: str) -> Protocol | None:
    """The protocol of a model endpoint; None for a question that is answered here.

    Raises:
        RefusedError: any other endpoint, spelling or form of target.
    """
    if (method, path) in LOCAL:
        return None
    protocol = _TARGETS.get(path)
    if protocol is None or method != "POST":
        raise RefusedError("endpoint", f"{printable(method)} {printable(path)} is not allowed")
    return protocol


def headers(raw: RawHeaders) -> dict[str, str]:
    """Headers by lower-case name, after the checks that every request must pass.

    Raises:
        RefusedError: repeated, forbidden, or too many headers, or a body that is too large.
    """
    if sum(len(name) + len(value) + 4 for name, value in raw) > MAX_HEADERS:
        raise RefusedError("headers", f"more than {MAX_HEADERS} bytes")
    found: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name = raw_name.decode("latin-1").lower()
        if name in found and name in _ONCE:
            raise RefusedError(f"header {name}", "occurs twice")
        found[name] = raw_value.decode("latin-1").strip()
    for name in _NEVER:
        if name in found:
            raise RefusedError(f"header {name}", "is not allowed")
    return found


def body_length(found: Mapping[str, str]) -> int:
    """The declared length of a body that must have one, in bytes.

    Raises:
        RefusedError: none declared, not a number, or too large; or the body is not JSON.
    """
    text = found.get("content-length", "")
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise RefusedError("header content-length", "is missing")
    if int(text) > MAX_BYTES:
        raise RefusedError("body", f"more than {MAX_BYTES} bytes")
    kind = found.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError("header content-type", "must be application/json")
    return int(text)


def token(found: Mapping[str, str]) -> str | None:
    """The token a client presents; None where there is none, or two that differ."""
    scheme, _, bearer = found.get("authorization", "").partition(" ")
    offered = {found["x-api-key"]} if found.get("x-api-key") else set()
    if scheme.lower() == "bearer" and bearer.strip():
        offered.add(bearer.strip())
    return offered.pop() if len(offered) == 1 else None


def same(offered: str | None, armed: str) -> bool:
    """Compare in constant time."""
    return offered is not None and hmac.compare_digest(offered.encode(), armed.encode())


def betas(found: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which of the asked betas are sent on, and a note for each that is not.

    Unknown ones are dropped, not refused: Claude Code answers a refusal by changing its list of tools.
    """
    asked = [name.strip() for name in found.get("anthropic-beta", "").split(",") if name.strip()]
    kept = tuple(sorted(set(asked) & BETAS))
    return kept, tuple(sorted({f"beta:{printable(name)}" for name in asked if name not in BETAS}))


def upstream(protocol: Protocol, key: str, kept_betas: Sequence[str], *, stream: bool) -> dict[str, str]:
    """All headers of the forwarded request; nothing of the sandbox's own passes."""
    sent = {
        "content-type": "application/json",
        "accept": "text/event-stream" if stream else "application/json",
        "accept-encoding": "identity",
        "user-agent": "aces-ci-gateway",
    }
    if protocol is Protocol.MESSAGES:
        sent["anthropic-version"] = ANTHROPIC_VERSION
        if kept_betas:
            sent["anthropic-beta"] = ",".join(kept_betas)
        if key:
            sent["x-api-key"] = key
    elif key:
        sent["authorization"] = f"Bearer {key}"
    return sent
