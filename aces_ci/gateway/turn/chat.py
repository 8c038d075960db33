"""OpenAI Chat Completions: a stream of deltas to one completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aces_ci.core.trial import Usage
from aces_ci.gateway.turn.assembler import SurpriseError, count, mapping, words

_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
_FORBIDDEN = ("audio", "function_call")


class ChatAssembler:
    """One Chat answer."""

    def __init__(self) -> None:
        self.complete = False
        self.failed = ""
        self._head: dict[str, Any] | None = None
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._message: dict[str, Any] | None = None
        self._finish: object = None
        self._usage: Mapping[str, Any] = {}

    def event(self, data: Mapping[str, Any]) -> None:
        """One chunk. The last one carries usage and no choice."""
        if data.get("error"):
            self.failed = words(mapping(data["error"]).get("message") or data["error"])
            return
        if not isinstance(data.get("choices"), list):
            raise SurpriseError("a chunk without choices")
        if self._head is None:
            self._head = self._header(data)
        if isinstance(data.get("usage"), Mapping):
            self._usage = data["usage"]
        for choice in map(mapping, data["choices"]):
            if choice.get("index", 0) != 0:
                raise SurpriseError("more than one choice")
            self._delta(mapping(choice.get("delta")))
            if choice.get("finish_reason"):
                self._finish = choice["finish_reason"]
                self.complete = True

    def whole(self, body: Mapping[str, Any]) -> None:
        """A non-streamed completion."""
        choices = body.get("choices")
        if not isinstance(choices, list) or len(choices) != 1:
            raise SurpriseError("the answer is not a completion with one choice")
        choice = mapping(choices[0])
        message = mapping(choice.get("message"))
        self._admit(message)
        self._head = self._header(body)
        self._message = dict(message)
        self._finish = choice.get("finish_reason")
        self._usage = mapping(body.get("usage"))
        self.complete = True

    def response(self) -> dict[str, Any] | None:
        """A completion with one choice."""
        if self._head is None:
            return None
        choice = {"index": 0, "message": self._said(), "finish_reason": self._finish}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": dict(self._usage) or None,
        }

    def usage(self) -> Usage | None:
        """Prompt tokens without what was read from or written to the cache."""
        details = mapping(self._usage.get("prompt_tokens_details"))
        total = count(self._usage.get("prompt_tokens"))
        output = count(self._usage.get("completion_tokens"))
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

    def _header(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return {name: body[name] for name in ("id", "created", "model") if name in body}

    def _admit(self, message: Mapping[str, Any]) -> None:
        for name in _FORBIDDEN:
            if message.get(name):
                raise SurpriseError(f"a message with {name}")
        if message.get("annotations"):
            raise SurpriseError("a message with sources of a hosted search")

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self._admit(delta)
        for name in _TEXTS:
            if isinstance(delta.get(name), str):
                self._texts.setdefault(name, []).append(delta[name])
        calls = delta.get("tool_calls")
        for part in map(mapping, calls if isinstance(calls, list) else ()):
            index = count(part.get("index", 0))
            if index is None or index > 1_000:
                raise SurpriseError("a tool call without an index")
            known = self._calls.setdefault(index, {"id": None, "name": "", "arguments": []})
            function = mapping(part.get("function"))
            known["id"] = known["id"] or part.get("id")
            known["name"] = known["name"] or function.get("name") or ""
            known["arguments"].append(str(function.get("arguments") or ""))

    def _said(self) -> dict[str, Any]:
        if self._message is not None:
            return self._message
        said: dict[str, Any] = {"role": "assistant", "content": None}
        said.update({name: "".join(parts) for name, parts in self._texts.items()})
        if self._calls:
            said["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": "".join(call["arguments"])},
                }
                for _, call in sorted(self._calls.items())
            ]
        return said
