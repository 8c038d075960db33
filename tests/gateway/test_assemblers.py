"""Whatever a provider sends in place of its protocol: a surprise that is named, and never a bug of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from aces_ci.core.spending.exchange import Protocol
from aces_ci.gateway.fetch import ASSEMBLERS
from aces_ci.gateway.turn.assembler import SurpriseError

M, R, C = Protocol.MESSAGES, Protocol.RESPONSES, Protocol.CHAT
JUNK: tuple[Any, ...] = (None, True, 1, -1, "x", [], {}, [None], [[]], ["x"], {"x": 1})
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ITEM = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "{}"}
SAMPLES: tuple[tuple[Protocol, tuple[dict[str, Any], ...]], ...] = (
    (
        M,
        (
            {"type": "message_start", "message": {"id": "m", "model": "x", "usage": {"input_tokens": 1}}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "caller": {}, "input": {}},
            },
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "error", "error": {"type": "x", "message": "y"}},
        ),
    ),
    (
        R,
        (
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
            {
                "type": "response.completed",
                "response": {"output": [ITEM], "usage": {"input_tokens": 1, "input_tokens_details": {}}, "error": {}},
            },
            {"type": "error", "message": "x", "error": {}},
        ),
    ),
    (
        C,
        (
            {"choices": [{"index": 0, "delta": {"content": "x", "tool_calls": [CALL]}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": {}}},
            {"error": {"message": "x"}},
        ),
    ),
)
WHOLE: tuple[tuple[Protocol, dict[str, Any]], ...] = (
    (M, {"type": "message", "content": [{"type": "text", "text": "x"}], "usage": {"input_tokens": 1}}),
    (R, {"object": "response", "status": "completed", "output": [ITEM], "usage": {"input_tokens": 1}, "error": {}}),
    (C, {"choices": [{"message": {"content": "x", "tool_calls": [CALL]}, "finish_reason": "stop"}], "usage": {}}),
)


def spoilt(value: Any) -> Iterator[Any]:
    """The value with one node of it, at every depth, replaced by each kind of junk."""
    for key in range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ():
        for inner in (*JUNK, *spoilt(value[key])):
            changed = copy.copy(value)
            changed[key] = inner
            yield changed


def assembled(protocol: Protocol, how: str, rows: list[Any]) -> None:
    assembler = ASSEMBLERS[protocol]()
    try:
        for row in rows:
            getattr(assembler, how)(row)
    except SurpriseError:
        pass
    json.dumps(assembler.response())
    assembler.usage()


@pytest.mark.parametrize(("protocol", "events"), SAMPLES, ids=[str(protocol) for protocol, _ in SAMPLES])
def test_a_spoilt_stream_is_a_surprise_or_an_answer(protocol: Protocol, events: tuple[dict[str, Any], ...]) -> None:
    for place, event in enumerate(events):
        for changed in spoilt(event):
            assembled(protocol, "event", [*events[:place], changed, *events[place + 1 :]])
            assembled(protocol, "event", [changed])


@pytest.mark.parametrize(("protocol", "body"), WHOLE, ids=[str(protocol) for protocol, _ in WHOLE])
def test_a_spoilt_answer_is_a_surprise_or_an_answer(protocol: Protocol, body: dict[str, Any]) -> None:
    for changed in spoilt(body):
        assembled(protocol, "whole", [changed])
