"""OpenAI Responses: a stream of output items to one response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aces_ci.core.trial import Usage
from aces_ci.gateway.turn.assembler import SurpriseError, count, mapping, words

ALLOWED_ITEMS = frozenset({"message", "reasoning", "function_call", "custom_tool_call"})
_KEPT = (
    "id",
    "object",
    "created_at",
    "model",
    "status",
    "output",
    "usage",
    "error",
    "incomplete_details",
)
"""Not the echo of the request, which the record already holds."""
_ENDS = {
    "response.completed": "",
    "response.incomplete": "",
    "response.failed": "the provider reports a failed response",
}


class ResponseAssembler:
    """One Responses answer."""

    def __init__(self) -> None:
        self.complete = False
        self.failed = ""
        self._response: dict[str, Any] | None = None
        self._items: dict[str, dict[str, Any]] = {}

    def event(self, data: Mapping[str, Any]) -> None:
        """One event. Events of hosted tools are named after their call item."""
        kind = data.get("type")
        if not isinstance(kind, str):
            raise SurpriseError("an event without a type")
        if kind in _ENDS:
            self._end(kind, mapping(data.get("response")))
        elif kind == "error":
            self.failed = words(data.get("message") or mapping(data.get("error")).get("message"))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            item = dict(mapping(data.get("item")))
            self._admit(item)
            # By id, because some servers send no index; a dictionary keeps the order of the first sight.
            self._items[str(item.get("id") or data.get("output_index"))] = item
        elif kind.startswith("response.") and "_call." in kind:
            if kind.split(".")[1] not in ("custom_tool_call", "function_call"):
                raise SurpriseError(f"an event of a hosted tool: {words(kind)[:60]}")
        elif self._response is None and isinstance(data.get("response"), Mapping):
            self._response = self._kept(data["response"])

    def whole(self, body: Mapping[str, Any]) -> None:
        """A non-streamed response."""
        if body.get("object") != "response" or not isinstance(body.get("output"), list):
            raise SurpriseError("the answer is not a response")
        self._end(
            "response.failed" if body.get("status") == "failed" else "response.completed",
            body,
        )

    def response(self) -> dict[str, Any] | None:
        """The final object, or what had been output when the stream was cut."""
        if self._response is None or self.complete:
            return self._response
        return {**self._response, "output": list(self._items.values())}

    def usage(self) -> Usage | None:
        """Input without what was read from or written to the cache."""
        usage = mapping((self._response or {}).get("usage"))
        details = mapping(usage.get("input_tokens_details"))
        total, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
        if total is None or output is None:
            return None
        read = min(count(details.get("cached_tokens")) or 0, total)
        written = min(count(details.get("cache_write_tokens")) or 0, total - read)
        return Usage(
            input_tokens=total - read - written,
            output_tokens=output,
            cache_read_tokens=read,
            cache_write_tokens=written,
            requests=1,
        )

    def _end(self, kind: str, response: Mapping[str, Any]) -> None:
        output = response.get("output")
        for item in output if isinstance(output, list) else ():
            self._admit(mapping(item))
        self._response = self._kept(response)
        if not output:
            # Some servers leave the final list empty; the items were streamed.
            self._response["output"] = list(self._items.values())
        self.failed = _ENDS[kind]
        if self.failed:
            self.failed = words(mapping(response.get("error")).get("message") or self.failed)
        self.complete = not self.failed

    def _admit(self, item: Mapping[str, Any]) -> None:
        kind = item.get("type")
        if not isinstance(kind, str) or kind not in ALLOWED_ITEMS:
            raise SurpriseError(f"an output item of type {words(kind)[:40]}")

    def _kept(self, response: Mapping[str, Any]) -> dict[str, Any]:
        return {name: response[name] for name in _KEPT if name in response}
