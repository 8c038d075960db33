"""What is let through is changed only as the table says, and the change is noted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aces_ci.core.spending.exchange import Protocol
from aces_ci.gateway.policy.gate import IMAGE_TOKENS, OVERHEAD_TOKENS, Forward, admit
from aces_ci.gateway.policy.request import Terms
from aces_ci.gateway.strict_json import RefusedError
from tests.gateway.rig import BODIES, CHAT, MESSAGES, MODEL, RESPONSES

TERMS = Terms(model=MODEL, max_output=1000, cache_key="mac-of-run-harness-model-arm")
M, R, C = Protocol.MESSAGES, Protocol.RESPONSES, Protocol.CHAT
SCHEMA = {"type": "object", "properties": {"anything": {"$ref": "#/x"}}}
PIXEL = "iVBORw0KGgoAAAANSUhEUg=="


def _admit(protocol: Protocol, **more: Any) -> Forward:
    return admit(protocol, json.dumps({**BODIES[protocol], **more}).encode(), TERMS)


def test_fields_that_clients_send_by_habit_are_dropped_and_noted() -> None:
    dropped = {
        M: {"metadata": {"user_id": "x"}, "service_tier": "auto", "speed": "fast", "diagnostics": {}},
        R: {
            "metadata": {},
            "client_metadata": {},
            "service_tier": "priority",
            "user": "x",
            "safety_identifier": "x",
            "prompt_cache_key": "theirs",
            "prompt_cache_retention": "24h",
            "prompt_cache_options": {},
            "stream_options": {"include_obfuscation": False},
        },
        C: {
            "metadata": {},
            "service_tier": "priority",
            "user": "x",
            "safety_identifier": "x",
            "prompt_cache_key": "theirs",
            "prompt_cache_retention": "24h",
            "prompt_cache_options": {},
            "prediction": {"type": "content", "content": "x"},
            "logprobs": True,
            "top_logprobs": 2,
            "store": True,
        },
    }
    for protocol, fields in dropped.items():
        forward = _admit(protocol, **fields)
        assert forward.drops == tuple(sorted(f"field:{name}" for name in fields))
        kept = {name: value for name, value in forward.body.items() if name in fields}
        assert kept == ({"prompt_cache_key": TERMS.cache_key} if protocol is R else {})


def test_hosted_tools_are_dropped_and_the_clients_own_stay() -> None:
    own = {"name": "Bash", "description": "runs", "input_schema": SCHEMA}
    forward = _admit(
        M,
        tools=[
            {"type": "web_search_20260318", "name": "web_search"},
            own,
            {"type": "bash_20250124", "name": "bash"},
            {"type": "mcp_toolset", "mcp_server_name": "x"},
            {"type": "custom", "name": "Edit", "input_schema": {}},
        ],
    )
    assert forward.tools == ("Bash", "Edit")
    assert forward.drops == ("tool:bash_20250124", "tool:mcp_toolset", "tool:web_search_20260318")
    forward = _admit(
        R,
        tools=[
            {"type": "function", "name": "exec_command", "parameters": SCHEMA, "strict": False},
            {"type": "web_search", "external_web_access": True},
            {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", "syntax": "lark"}},
            {
                "type": "namespace",
                "name": "agents",
                "description": "d",
                "tools": [{"type": "function", "name": "spawn"}, {"type": "mcp", "server_url": "x"}],
            },
            {"type": "namespace", "name": "gone", "tools": [{"type": "web_search"}]},
        ],
        tool_choice="auto",
    )
    assert forward.tools == ("exec_command", "apply_patch", "agents.spawn")
    assert forward.drops == ("tool:mcp", "tool:web_search")
    forward = _admit(
        C, tools=[{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}, {"type": "web"}]
    )
    assert (forward.tools, forward.drops) == (("bash",), ("tool:web",))


def test_without_tools_left_there_is_nothing_to_choose() -> None:
    forward = _admit(R, tools=[{"type": "web_search"}], tool_choice="required", parallel_tool_calls=True)
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(forward.body)


def test_output_limits_are_put_or_lowered_and_never_raised() -> None:
    assert _admit(M, max_tokens=5000).body["max_tokens"] == 1000
    assert _admit(M, max_tokens=5000).drops == ("clamp:max_tokens 5000->1000",)
    assert _admit(M, max_tokens=7).max_output == 7
    assert _admit(R).body["max_output_tokens"] == 1000
    assert _admit(R, max_output_tokens=12).body["max_output_tokens"] == 12
    assert _admit(C).body["max_completion_tokens"] == 1000
    both = _admit(C, max_tokens=10, max_completion_tokens=20)
    assert (both.body["max_tokens"], both.body["max_completion_tokens"], both.max_output) == (10, 20, 20)
    older = admit(C, json.dumps(CHAT).encode(), Terms(model=MODEL, max_output=9, chat_limit="max_tokens"))
    assert older.body["max_tokens"] == 9 and "max_completion_tokens" not in older.body


def test_a_thinking_budget_stays_below_the_output_limit() -> None:
    forward = _admit(M, max_tokens=32_000, thinking={"type": "enabled", "budget_tokens": 31_999})
    assert forward.body["thinking"]["budget_tokens"] == 999
    assert "clamp:thinking.budget_tokens 31999->999" in forward.drops


def test_responses_are_never_stored_and_chat_streams_always_report_usage() -> None:
    assert _admit(R, store=True).body["store"] is False
    assert _admit(R).body["store"] is False
    assert _admit(C, stream=True).body["stream_options"] == {"include_usage": True}
    assert _admit(C, stream=True, stream_options={"include_usage": False}).body["stream_options"] == {
        "include_usage": True
    }
    assert "stream_options" not in _admit(C, stream_options={"include_usage": True}).body


def test_everything_else_is_forwarded_as_it_came() -> None:
    body = {
        **MESSAGES,
        "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a  b\u2028\n"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "s"},
                    {"type": "redacted_thinking", "data": "d"},
                    {"type": "tool_use", "id": "1", "name": "x", "input": {"k": [1, 2.5, None, True]}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "is_error": True,
                        "content": [
                            {"type": "text", "text": "out"},
                            {
                                "type": "image",
                                "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
                            },
                            {"type": "tool_reference", "tool_name": "x"},
                        ],
                    }
                ],
            },
            {"role": "system", "content": "remember"},
        ],
        "tools": [{"name": "x", "input_schema": SCHEMA, "defer_loading": True}],
        "tool_choice": {"type": "tool", "name": "x", "disable_parallel_tool_use": True},
        "thinking": {"type": "adaptive", "display": "updates"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": SCHEMA}},
        "stop_sequences": ["x"],
        "temperature": 1,
        "top_p": 0.5,
        "top_k": 3,
        "stream": True,
    }
    forward = admit(M, json.dumps(body).encode(), TERMS)
    assert json.loads(forward.raw) == body
    assert forward.drops == ()
    body = {
        **RESPONSES,
        "instructions": "be brief",
        "input": [
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "d"}]},
            {"role": "user", "content": "hi"},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e", "content": None},
            {"type": "function_call", "call_id": "1", "name": "x", "arguments": "{}", "namespace": "n"},
            {"type": "function_call_output", "call_id": "1", "output": "out"},
            {"type": "custom_tool_call", "call_id": "2", "name": "y", "input": "p"},
            {"type": "custom_tool_call_output", "call_id": "2", "output": "out"},
            {
                "type": "message",
                "role": "assistant",
                "phase": "final_answer",
                "content": [{"type": "output_text", "text": "a", "annotations": []}],
            },
            {
                "role": "user",
                "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "high"}],
            },
        ],
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "text": {"verbosity": "low", "format": {"type": "json_schema", "name": "n", "schema": SCHEMA}},
        "truncation": "disabled",
        "store": False,
        "max_output_tokens": 5,
        "stream": True,
        "prompt_cache_key": TERMS.cache_key,
    }
    forward = admit(R, json.dumps(body).encode(), TERMS)
    assert json.loads(forward.raw) == body
    body = {
        **CHAT,
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "developer", "content": [{"type": "text", "text": "d"}]},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "t"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "r",
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "x", "arguments": "{"}, "index": 0}
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "out"},
        ],
        "tools": [{"type": "function", "function": {"name": "x", "parameters": SCHEMA, "strict": True}}],
        "tool_choice": {"type": "function", "function": {"name": "x"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
        "reasoning_effort": "low",
        "verbosity": "low",
        "stop": ["x"],
        "seed": 1,
        "temperature": 0,
        "top_p": 1,
        "frequency_penalty": 0.1,
        "presence_penalty": -1,
        "parallel_tool_calls": False,
        "max_tokens": 5,
    }
    forward = admit(C, json.dumps(body).encode(), TERMS)
    assert json.loads(forward.raw) == body


def test_the_input_bound_counts_text_by_the_byte_and_an_image_as_an_image() -> None:
    plain = _admit(C)
    assert plain.max_input == len(plain.raw) + OVERHEAD_TOKENS
    big = "A" * 400_000
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{big}"}}
    pictured = _admit(C, messages=[{"role": "user", "content": [image]}])
    assert len(big) > pictured.max_input > IMAGE_TOKENS
    # A string that only looks like an image is text to the model, and counted so.
    posing = _admit(C, messages=[{"role": "user", "content": f"data:image/png;base64,{big}"}])
    assert posing.max_input > len(big)
    # A tool's input is the agent's own: an object in it that calls itself an image is text as well.
    for kind in ("image", "image_url", "input_image"):
        call = {"type": "tool_use", "id": "t", "name": "x", "input": {"deep": [{"type": kind, "data": big}]}}
        assert _admit(M, messages=[{"role": "assistant", "content": [call]}]).max_input > len(big)
    shown = {"type": "tool_result", "tool_use_id": "t", "content": [_picture(big)]}
    assert len(big) > _admit(M, messages=[{"role": "user", "content": [shown]}]).max_input > IMAGE_TOKENS


def _picture(data: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def test_the_input_bound_counts_a_tool_once_more_wherever_it_is_referred_to() -> None:
    tool = {"name": "big", "description": "d" * 50_000, "input_schema": SCHEMA, "defer_loading": True}
    reference = {"type": "tool_reference", "tool_name": "big"}

    def referred(times: int) -> Forward:
        shown = {"type": "tool_result", "tool_use_id": "t", "content": [reference] * times}
        return _admit(M, tools=[tool], messages=[{"role": "user", "content": [shown]}])

    assert referred(40).max_input > referred(1).max_input + 39 * 50_000


def test_the_digest_of_tools_ignores_order_and_descriptions_but_not_parameters() -> None:
    def digest(*tools: dict[str, Any]) -> str | None:
        return _admit(M, tools=list(tools)).tools_digest

    one = {"name": "a", "description": "lists skills: x", "input_schema": SCHEMA}
    two = {"name": "b", "input_schema": {}}
    assert digest(one, two) == digest(two, {**one, "description": "lists skills: none"})
    assert digest(one, two) != digest(one)
    assert digest(one) != digest({**one, "input_schema": {}})
    assert digest() is None


def test_too_many_different_things_to_drop_are_refused() -> None:
    with pytest.raises(RefusedError, match="different things"):
        _admit(M, tools=[{"type": f"hosted_{number}"} for number in range(500)])


def test_a_protocol_that_the_provider_does_not_speak_is_no_endpoint() -> None:
    terms = Terms(model=MODEL, max_output=10, protocols=(M,))
    with pytest.raises(RefusedError) as caught:
        admit(C, json.dumps(CHAT).encode(), terms)
    assert caught.value.field == "endpoint"
