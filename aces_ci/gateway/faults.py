"""Errors as the sandbox sees them, in the shape of the protocol it spoke."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aces_ci.core.spending.exchange import Protocol

_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
MAX_RETRY_AFTER = 60
"""Seconds."""
PASSED_ON = frozenset({400, 413, 422})
"""Statuses whose message is about the request itself, such as a prompt that is too long; an agent may act on it.
Others name our account, organisation or key, and are said in our words."""


def body(protocol: Protocol | None, status: int, message: str) -> dict[str, Any]:
    """An error object that the protocol's own SDK understands."""
    if protocol is Protocol.MESSAGES:
        kind = _ANTHROPIC_TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "code": None, "param": None}}


def headers(retry_after: str | None = None) -> dict[str, str]:
    """The CLI is told not to try again: retries are this gateway's, and they are over."""
    sent = {"x-should-retry": "false"}
    if retry_after and retry_after.isascii() and retry_after.isdigit():
        sent["retry-after"] = str(min(int(retry_after), MAX_RETRY_AFTER))
    return sent


def said_by_provider(status: int, answer: Mapping[str, Any]) -> str:
    """What the sandbox is told of a provider's own error."""
    if status not in PASSED_ON:
        return f"the provider answered {status} to the gateway"
    error = answer.get("error")
    text = error.get("message") if isinstance(error, Mapping) else answer.get("message")
    return " ".join(str(text or f"the provider answered {status}").split())[:2000]
