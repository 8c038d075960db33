"""Anthropic Messages: a stream of content blocks to one message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aces_ci.core.trace.lines import shallow
from aces_ci.core.trial import Usage
from aces_ci.gateway.strict_json import dump
from aces_ci.gateway.turn.assembler import SurpriseError, count, mapping, words

ALLOWED_BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "tool_use"})
_FRAGMENTS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("input", "partial_json"),
}
"""Delta type to the block's field and the delta's own."""
_COUNTED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class MessageAssembler:
    """One Messages answer."""

    def __init__(self) -> None:
        self.complete = False
        self.failed = ""
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, dict[str, list[str]]] = {}
        self._usage: dict[str, int] = {}

    def event(self, data: Mapping[str, Any]) -> None:
        """One event; kinds that carry no content pass."""
        match data.get("type"):
            case "message_start":
                self._message = dict(mapping(data.get("message")))
                self._count(self._message.get("usage"))
            case "content_block_start":
                block = dict(mapping(data.get("content_block")))
                self._admit(block)
                self._blocks[self._index(data)] = block
            case "content_block_delta":
                self._delta(self._index(data), mapping(data.get("delta")))
            case "message_delta":
                if self._message is None:
                    raise SurpriseError("message_delta before message_start")
                self._message.update(mapping(data.get("delta")))
                self._count(data.get("usage"))
            case "message_stop":
                self.complete = True
            case "error":
                error = mapping(data.get("error"))
                self.failed = words(f"{error.get('type')}: {error.get('message')}")
            case str():
                pass
            case _:
                raise SurpriseError("an event without a type")

    def whole(self, body: Mapping[str, Any]) -> None:
        """A non-streamed message."""
        if body.get("type") != "message" or not isinstance(body.get("content"), list):
            raise SurpriseError("the answer is not a message")
        for block in body["content"]:
            self._admit(mapping(block))
        self._message = dict(body)
        self._blocks = {index: dict(block) for index, block in enumerate(body["content"])}
        self._count(body.get("usage"))
        self.complete = True

    def response(self) -> dict[str, Any] | None:
        """The message with its blocks in order."""
        if self._message is None:
            return None
        content = [self._block(index) for index in sorted(self._blocks)]
        return {**self._message, "content": content, "usage": dict(self._usage)}

    def usage(self) -> Usage | None:
        """The last number of each kind; counts are cumulative in this protocol."""
        if "input_tokens" not in self._usage or "output_tokens" not in self._usage:
            return None
        return Usage(
            input_tokens=self._usage["input_tokens"],
            output_tokens=self._usage["output_tokens"],
            cache_read_tokens=self._usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._usage.get("cache_creation_input_tokens", 0),
            requests=1,
        )

    def _admit(self, block: Mapping[str, Any]) -> None:
        kind = block.get("type")
        if not isinstance(kind, str) or kind not in ALLOWED_BLOCKS:
            raise SurpriseError(f"a content block of type {words(kind)[:40]}")
        caller = mapping(block.get("caller")).get("type", "direct")
        if caller != "direct":
            raise SurpriseError("a tool called by the provider itself")

    def _index(self, data: Mapping[str, Any]) -> int:
        index = count(data.get("index"))
        if index is None or index > 10_000:
            raise SurpriseError("a content block without an index")
        return index

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        if index not in self._blocks:
            raise SurpriseError("a delta for a block that was never started")
        fragment = _FRAGMENTS.get(str(delta.get("type")))
        if fragment is not None:
            field, own = fragment
            self._parts.setdefault(index, {}).setdefault(field, []).append(str(delta.get(own, "")))

    def _block(self, index: int) -> dict[str, Any]:
        block = dict(self._blocks[index])
        for field, parts in self._parts.get(index, {}).items():
            text = "".join(parts)
            if field != "input":
                block[field] = str(block.get(field) or "") + text
                continue
            if not text:
                block.setdefault("input", {})
            elif (value := _written(text)) is not None:
                block["input"] = value[0]
            else:
                block["input_text"] = text  # cut in the middle, or the model wrote what no record can hold
        return block

    def _count(self, usage: object) -> None:
        for name in _COUNTED:
            number = count(mapping(usage).get(name))
            if number is not None:
                self._usage[name] = number


def _written(text: str) -> tuple[Any] | None:
    """The JSON that a model wrote, where a line of the record can hold it: no half surrogates, not without a bottom."""
    try:
        value = json.loads(text)
        dump(value)
    except (ValueError, RecursionError):
        return None
    return (value,) if shallow(value) else None
