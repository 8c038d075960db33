"""What a request and a response of a model protocol say, in one shape for all three protocols."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trace.build import arguments_of
from aces_ci.core.trace.lines import record, string, text


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model."""

    identity: str
    name: str
    arguments: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the user, the system or the harness. `beside` tells that it came along with tool
    results.
    """

    role: str
    text: str
    beside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One turn of the model."""

    text: str
    calls: tuple[Call, ...] = ()
    thoughts: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Equal for equal turns, whatever a client did to white space and to the order of keys."""
        calls = [[call.identity, call.name, call.arguments] for call in self.calls]
        return json.dumps([" ".join(self.text.split()), calls], sort_keys=True, default=str)

    @property
    def empty(self) -> bool:
        """Whether it says and does nothing."""
        return not self.calls and not self.text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a call gave, as the client claims."""

    identity: str
    text: str
    error: bool | None = None


Entry = Said | Reply | Returned


def history(protocol: Protocol, request: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Everything that a request tells the model, in order. Unknown parts are passed over, never raised on."""
    match protocol:
        case Protocol.MESSAGES:
            return tuple(_messages(request))
        case Protocol.RESPONSES:
            return tuple(_merged(_responses(request)))
        case Protocol.CHAT:
            return tuple(_chat(request))


def delivered(protocol: Protocol, response: Mapping[str, Any]) -> Reply:
    """The turn of a (non-streaming) response object; empty where there is none."""
    match protocol:
        case Protocol.MESSAGES:
            return _blocks(response.get("content"))
        case Protocol.RESPONSES:
            entries = list(_merged(_items(response.get("output"))))
            return next((entry for entry in entries if isinstance(entry, Reply)), Reply(text=""))
        case Protocol.CHAT:
            choices = response.get("choices")
            first = record(choices[0]) if isinstance(choices, list) and choices else {}
            return _chat_reply(record(first.get("message")))


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [record(item) for item in value] if isinstance(value, list) else []


def _messages(request: Mapping[str, Any]) -> Iterator[Entry]:
    system = text(request.get("system"))
    if system:
        yield Said(role="system", text=system)
    for message in _listed(request.get("messages")):
        content = message.get("content")
        if message.get("role") == "assistant":
            yield _blocks(content)
            continue
        blocks = _listed(content) if isinstance(content, list) else [{"type": "text", "text": text(content)}]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for block in blocks:
            if block.get("type") == "tool_result":
                error = block.get("is_error")
                yield Returned(
                    identity=str(block.get("tool_use_id")),
                    text=text(block.get("content")),
                    error=error if isinstance(error, bool) else None,
                )
            else:
                yield Said(role=str(message.get("role")), text=text(block), beside=bool(results))


def _blocks(content: object) -> Reply:
    blocks = _listed(content) if isinstance(content, list) else [{"type": "text", "text": text(content)}]
    return Reply(
        text="\n\n".join(text(block) for block in blocks if block.get("type") == "text"),
        thoughts=tuple(text(block.get("thinking")) for block in blocks if block.get("type") == "thinking"),
        calls=tuple(
            Call(str(block.get("id")), str(block.get("name")), arguments_of(block.get("input")))
            for block in blocks
            if block.get("type") == "tool_use"
        ),
    )


def _responses(request: Mapping[str, Any]) -> Iterator[Entry]:
    instructions = text(request.get("instructions"))
    if instructions:
        yield Said(role="system", text=instructions)
    given = request.get("input")
    if isinstance(given, str):
        yield Said(role="user", text=given)
    yield from _items(given)


def _items(items: object) -> Iterator[Entry]:
    for item in _listed(items):
        kind = str(item.get("type", "message"))
        if kind == "reasoning":
            thought = text(item.get("summary")) or text(item.get("content"))
            yield Reply(text="", thoughts=(thought,) if thought else ())
        elif kind in {"function_call", "custom_tool_call", "local_shell_call"}:
            key = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind, "action")
            arguments = arguments_of(item.get(key))
            name = string(item.get("name")) or "local_shell"
            yield Reply(text="", calls=(Call(str(item.get("call_id") or item.get("id")), name, arguments),))
        elif kind.endswith("_call_output"):
            yield Returned(identity=str(item.get("call_id") or item.get("id")), text=text(item.get("output")))
        elif item.get("role") == "assistant":
            yield Reply(text=text(item.get("content")))
        elif "role" in item:
            role = "user" if item["role"] == "user" else "system"
            yield Said(role=role, text=text(item.get("content")))


def _merged(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Items of one turn put together: the protocol lists text, reasoning and calls one by one."""
    held: Reply | None = None
    for entry in entries:
        if isinstance(entry, Reply):
            held = (
                Reply(
                    text="\n\n".join(part for part in (held.text, entry.text) if part),
                    calls=held.calls + entry.calls,
                    thoughts=held.thoughts + entry.thoughts,
                )
                if held
                else entry
            )
            continue
        if held:
            yield held
            held = None
        yield entry
    if held:
        yield held


def _chat(request: Mapping[str, Any]) -> Iterator[Entry]:
    for message in _listed(request.get("messages")):
        role = message.get("role")
        if role == "assistant":
            yield _chat_reply(message)
        elif role == "tool":
            yield Returned(identity=str(message.get("tool_call_id")), text=text(message.get("content")))
        else:
            yield Said(role="user" if role == "user" else "system", text=text(message.get("content")))


def _chat_reply(message: Mapping[str, Any]) -> Reply:
    thought = string(message.get("reasoning_content")) or string(message.get("reasoning"))
    return Reply(
        text=text(message.get("content")),
        thoughts=(thought,) if thought else (),
        calls=tuple(
            Call(
                str(call.get("id")),
                str(record(call.get("function")).get("name")),
                arguments_of(record(call.get("function")).get("arguments")),
            )
            for call in _listed(message.get("tool_calls"))
        ),
    )
