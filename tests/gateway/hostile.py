"""Requests that reach beyond the sandbox, or try to. Each names the field it must be refused for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aces_ci.core.spending.exchange import Protocol
from tests.gateway.rig import CHAT, MESSAGES, RESPONSES

M, R, C = Protocol.MESSAGES, Protocol.RESPONSES, Protocol.CHAT
PNG = "iVBORw0KGgo="


@dataclass(frozen=True, kw_only=True)
class Hostile:
    """One request; `body` is an object, or bytes as they are sent."""

    id: str
    protocol: Protocol
    body: Any
    field: str
    """Which field the refusal names; compared exactly."""
    why: str
    """What it would reach."""


def _top(protocol: Protocol, name: str, value: Any, why: str) -> Hostile:
    base = {M: MESSAGES, R: RESPONSES, C: CHAT}[protocol]
    return Hostile(id=f"{protocol}: {name}", protocol=protocol, body={**base, name: value}, field=name, why=why)


def _block(block: Any, field: str, why: str, *, role: str = "user", id: str = "") -> Hostile:
    turn = {"role": role, "content": [block]}
    body = {**MESSAGES, "messages": [turn]}
    name = id or f"{block.get('type')}"
    return Hostile(id=f"messages block: {name}", protocol=M, body=body, field=f"messages[0].content[0]{field}", why=why)


def _item(item: Any, field: str, why: str, *, id: str = "") -> Hostile:
    name = id or str(item.get("type"))
    return Hostile(
        id=f"responses item: {name}",
        protocol=R,
        body={**RESPONSES, "input": [item]},
        field=f"input[0]{field}",
        why=why,
    )


def _turn(turn: Any, field: str, why: str, id: str) -> Hostile:
    body = {**CHAT, "messages": [turn]}
    return Hostile(id=f"chat turn: {id}", protocol=C, body=body, field=f"messages[0]{field}", why=why)


def _raw(id: str, body: bytes, why: str, protocol: Protocol = M, field: str = "body") -> Hostile:
    return Hostile(id=f"raw: {id}", protocol=protocol, body=body, field=field, why=why)


_SERVER_BLOCKS = (
    "document",
    "search_result",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "advisor_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "mcp_tool_listing",
    "container_upload",
    "compaction",
    "tool_addition",
    "tool_removal",
    "fallback",
    "tool_definition",
    "mcp_toolset_reference",
)
_SERVER_ITEMS = (
    "file_search_call",
    "computer_call",
    "computer_call_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "additional_tools",
    "configuration_update",
    "compaction",
    "image_generation_call",
    "code_interpreter_call",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "compaction_trigger",
    "item_reference",
    "program",
    "program_output",
)
_HOSTED = "runs at the provider with our key"
_STORED = "reads what others stored in our organisation"

HOSTILE: tuple[Hostile, ...] = (
    # Anthropic Messages: top level
    _top(M, "container", "container_1", _HOSTED),
    _top(M, "mcp_servers", [{"type": "url", "url": "https://evil.example", "name": "x"}], _HOSTED),
    _top(M, "fallbacks", [{"model": "dearer"}], "another model answers"),
    _top(M, "fallback_credit_token", "x", "another account pays"),
    _top(M, "thread", "thread_1", _STORED),
    _top(M, "workspace_id", "wrkspc_1", "another workspace"),
    _top(M, "user_profile_id", "x", "another tenant"),
    _top(M, "billing_policy", {}, "another price"),
    _top(M, "compaction", {}, "the provider rewrites the conversation"),
    _top(M, "inference_geo", "us", "another price"),
    _top(M, "betas", ["files-api-2025-04-14"], "switches features on in the body"),
    _top(M, "memory_store", "x", _STORED),
    _top(M, "unknown_field", 1, "a field of tomorrow"),
    _top(M, "stream", "yes", "two parsers, two meanings"),
    _top(M, "model", "dearer-model", "another price"),
    _top(M, "model", [MESSAGES["model"]], "two parsers, two meanings"),
    _top(M, "max_tokens", "100", "an unbounded answer"),
    _top(M, "max_tokens", -1, "an unbounded answer"),
    _top(M, "max_tokens", True, "an unbounded answer"),
    _top(M, "messages", [], "nothing to answer"),
    Hostile(
        id="messages: one-hour cache",
        protocol=M,
        body={**MESSAGES, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        field="cache_control.ttl",
        why="costs more and outlives the trial",
    ),
    Hostile(
        id="messages: cache scope",
        protocol=M,
        body={**MESSAGES, "cache_control": {"type": "ephemeral", "scope": "organization"}},
        field="cache_control.scope",
        why="a side channel to other trials",
    ),
    Hostile(
        id="messages: context edit",
        protocol=M,
        body={**MESSAGES, "context_management": {"edits": [{"type": "compact_20260112"}]}},
        field="context_management.edits[0]",
        why="the provider rewrites the conversation",
    ),
    Hostile(
        id="messages: task budget",
        protocol=M,
        body={**MESSAGES, "output_config": {"task_budget": {"type": "tokens", "total": 9}}},
        field="output_config.task_budget",
        why="not in the table",
    ),
    Hostile(
        id="messages: chosen tool is not offered",
        protocol=M,
        body={**MESSAGES, "tool_choice": {"type": "tool", "name": "web_search"}},
        field="tool_choice.name",
        why="calls a tool that was dropped",
    ),
    Hostile(
        id="messages: tool called by code at the provider",
        protocol=M,
        body={
            **MESSAGES,
            "tools": [{"name": "x", "input_schema": {}, "allowed_callers": ["code_execution_20260521"]}],
        },
        field="tools[0].allowed_callers",
        why=_HOSTED,
    ),
    Hostile(
        id="messages: image in system",
        protocol=M,
        body={
            **MESSAGES,
            "system": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}],
        },
        field="system[0].type",
        why="only text stands there",
    ),
    Hostile(
        id="messages: tools are not a list",
        protocol=M,
        body={**MESSAGES, "tools": {"type": "web_search_20250305"}},
        field="tools",
        why="a shape that another parser might read",
    ),
    # Anthropic Messages: content
    *(_block({"type": kind}, "", _HOSTED) for kind in _SERVER_BLOCKS),
    _block(
        {"type": "image", "source": {"type": "url", "url": "https://evil.example/?q=secret"}},
        ".source.type",
        "the provider fetches the URL: a way out and back",
        id="image by url",
    ),
    _block(
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}}, ".source.type", _STORED, id="image by file"
    ),
    _block(
        {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": PNG}},
        ".source.media_type",
        "a document with links",
        id="svg image",
    ),
    _block(
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "document", "source": {}}]},
        ".content[0]",
        "a document inside a result",
        id="document in a tool result",
    ),
    _block(
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "image", "source": {"type": "url", "url": "https://evil.example"}}],
        },
        ".content[0].source.type",
        "the provider fetches the URL",
        id="url in a tool result",
    ),
    _block(
        {"type": "tool_result", "tool_use_id": "t", "content": "x", "toolset_name": "browser"},
        ".toolset_name",
        _HOSTED,
        id="result of a hosted toolset",
    ),
    _block(
        {"type": "tool_use", "id": "t", "name": "x", "input": {}, "caller": {"type": "code_execution_20260120"}},
        ".caller.type",
        _HOSTED,
        role="assistant",
        id="called by code at the provider",
    ),
    _block({"type": "text", "text": "x", "citations": [{"type": "web"}]}, ".citations", "sources", id="citations"),
    _raw(
        "a turn that is a string",
        b'{"model":"test-model","max_tokens":1,"messages":["hi"]}',
        "not a turn",
        field="messages[0]",
    ),
    Hostile(
        id="messages: reference to a tool that is not offered",
        protocol=M,
        body={
            **MESSAGES,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "content": [{"type": "tool_reference", "tool_name": "web_search"}],
                        }
                    ],
                }
            ],
        },
        field="messages[0]",
        why="would load a hosted tool",
    ),
    # OpenAI Responses: top level
    _top(R, "previous_response_id", "resp_1", _STORED),
    _top(R, "conversation", "conv_1", _STORED),
    _top(R, "prompt", {"id": "pmpt_1"}, _STORED),
    _top(R, "background", True, "goes on after the trial"),
    _top(R, "background_options", {}, "goes on after the trial"),
    _top(R, "context_management", [{"type": "compaction"}], "the provider rewrites the conversation"),
    _top(R, "moderation", {}, "not in the table"),
    _top(R, "access_programs", ["x"], "not in the table"),
    _top(R, "max_tool_calls", 9, "only hosted tools have it"),
    _top(R, "image", {}, "not in the table"),
    _top(R, "tool_choice", {"type": "web_search"}, _HOSTED),
    _top(R, "tool_choice", {"type": "allowed_tools", "tools": []}, _HOSTED),
    _top(R, "max_output_tokens", 0, "an unbounded answer"),
    _top(R, "max_output_tokens", 1.5, "an unbounded answer"),
    _top(R, "model", "dearer-model", "another price"),
    _top(R, "input", [], "nothing to answer"),
    Hostile(
        id="responses: include web results",
        protocol=R,
        body={**RESPONSES, "include": ["web_search_call.action.sources"]},
        field="include[0]",
        why=_HOSTED,
    ),
    Hostile(
        id="responses: dearer reasoning",
        protocol=R,
        body={**RESPONSES, "reasoning": {"mode": "pro"}},
        field="reasoning.mode",
        why="another price",
    ),
    Hostile(
        id="responses: function called by programs",
        protocol=R,
        body={
            **RESPONSES,
            "tools": [{"type": "function", "name": "x", "allowed_callers": ["programmatic"]}],
        },
        field="tools[0].allowed_callers",
        why=_HOSTED,
    ),
    Hostile(
        id="responses: a namespace of nothing",
        protocol=R,
        body={**RESPONSES, "tools": [{"type": "namespace", "name": "x", "tools": "web_search"}]},
        field="tools",
        why="a shape that another parser might read",
    ),
    Hostile(
        id="responses: field in a namespaced function",
        protocol=R,
        body={
            **RESPONSES,
            "tools": [
                {"type": "namespace", "name": "x", "tools": [{"type": "function", "name": "y", "server_url": "z"}]}
            ],
        },
        field="tools[0].tools[0].server_url",
        why=_HOSTED,
    ),
    # OpenAI Responses: items
    *(_item({"type": kind}, "", _HOSTED) for kind in _SERVER_ITEMS),
    _item(
        {"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]},
        ".content[0]",
        _STORED,
        id="file by id",
    ),
    _item(
        {"role": "user", "content": [{"type": "input_file", "file_url": "https://evil.example"}]},
        ".content[0]",
        "the provider fetches the URL",
        id="file by url",
    ),
    _item(
        {"role": "user", "content": [{"type": "input_image", "image_url": "https://evil.example/?q=s"}]},
        ".content[0].image_url",
        "the provider fetches the URL",
        id="image by url",
    ),
    _item(
        {"role": "user", "content": [{"type": "input_image", "file_id": "file_1"}]},
        ".content[0].file_id",
        _STORED,
        id="image by file",
    ),
    _item(
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:text/html;base64,PGI+"}]},
        ".content[0].image_url",
        "not an image",
        id="data that is no image",
    ),
    _item({"role": "user", "content": [{"type": "input_audio"}]}, ".content[0]", "not in the table", id="audio"),
    _item(
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_file", "file_id": "f"}]},
        ".output[0]",
        _STORED,
        id="file in an output",
    ),
    _item(
        {"type": "message", "role": "user", "content": "x", "internal_chat_message_metadata_passthrough": {}},
        ".internal_chat_message_metadata_passthrough",
        "not in the table",
        id="internal metadata",
    ),
    _item(
        {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}", "caller": {"type": "program"}},
        ".caller",
        _HOSTED,
        id="called by a program",
    ),
    _item(
        {
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "x", "annotations": [{"type": "file_citation", "file_id": "f"}]}
            ],
        },
        ".content[0].annotations",
        _STORED,
        id="file citation",
    ),
    # OpenAI Chat
    _top(C, "web_search_options", {}, _HOSTED),
    _top(C, "audio", {"voice": "x"}, "another price"),
    _top(C, "modalities", ["audio"], "another price"),
    _top(C, "functions", [], "an older door to tools"),
    _top(C, "function_call", "auto", "an older door to tools"),
    _top(C, "plugins", [{"id": "web"}], "a reseller's hosted tools"),
    _top(C, "models", ["dearer"], "another model answers"),
    _top(C, "route", "fallback", "another model answers"),
    _top(C, "provider", {"order": ["x"]}, "another provider answers"),
    _top(C, "transforms", ["middle-out"], "a reseller rewrites the conversation"),
    _top(C, "logit_bias", {"1": 1}, "not in the table"),
    _top(C, "moderation", {}, "not in the table"),
    _top(C, "n", 2, "twice the price"),
    _top(C, "n", 128, "128 times the price"),
    _top(C, "max_tokens", 0, "an unbounded answer"),
    _top(C, "max_completion_tokens", "9", "an unbounded answer"),
    _top(C, "model", None, "another model answers"),
    Hostile(
        id="chat: chosen tool is not offered",
        protocol=C,
        body={**CHAT, "tool_choice": {"type": "function", "function": {"name": "x"}}},
        field="tool_choice.function.name",
        why="calls a tool that was dropped",
    ),
    Hostile(
        id="chat: unknown field in a function",
        protocol=C,
        body={**CHAT, "tools": [{"type": "function", "function": {"name": "x", "server": "y"}}]},
        field="tools[0].function.server",
        why=_HOSTED,
    ),
    _turn(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://evil.example"}}]},
        ".content[0].image_url.url",
        "the provider fetches the URL",
        "image by url",
    ),
    _turn(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]},
        ".content[0].image_url.url",
        "the server reads its own disk",
        "image by path",
    ),
    _turn({"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}, ".content[0]", _STORED, "file"),
    _turn(
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
        ".content[0]",
        "not in the table",
        "audio",
    ),
    _turn(
        {"role": "user", "content": [{"type": "video_url", "video_url": {"url": "https://evil.example"}}]},
        ".content[0]",
        "the provider fetches the URL",
        "video by url",
    ),
    _turn({"role": "function", "name": "x", "content": "y"}, "", "an older door to tools", "function role"),
    _turn({"role": "assistant", "audio": {"id": "audio_1"}}, ".audio", _STORED, "audio by id"),
    _turn(
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {}}]},
        ".tool_calls[0].type",
        "not in the table",
        "custom call",
    ),
    # From an audit: values of the wrong kind, absent values that are named, and doors beside the known ones
    _top(M, "max_tokens", 1e9, "an unbounded answer"),
    _top(M, "model", "test-model ", "another price"),
    _top(M, "model", "test-model/../dearer", "another price"),
    _top(M, "stop_sequences", {"a": 1}, "two parsers, two meanings"),
    _top(R, "conversation", None, "a field of its own kind of memory"),
    _top(R, "background", False, "a field of its own kind of memory"),
    _top(R, "previous_response_id", None, "a field of its own kind of memory"),
    _top(R, "input", 5, "two parsers, two meanings"),
    _top(R, "instructions", {"id": "pmpt_1"}, _STORED),
    _top(R, "truncation", {"type": "auto"}, "two parsers, two meanings"),
    _top(C, "best_of", 5, "five times the price"),
    _top(C, "extra_body", {"n": 4}, "four times the price"),
    _top(C, "reasoning", {"max_tokens": 10**6}, "an unbounded answer"),
    _top(C, "thinking", {"type": "enabled"}, "an unbounded answer"),
    _top(C, "enable_search", True, _HOSTED),
    _raw(
        "a field that ends in NUL",
        b'{"model":"test-model","max_tokens":1,"messages":[{"role":"user","content":"x"}],"container\\u0000":"c"}',
        _HOSTED,
        field="container\x00",
    ),
    _raw("white space that is none", b'\x0b{"model":"test-model"}', "two parsers, two meanings"),
    _raw("an overlong slash", b'{"model":"\xc0\xaf"}', "two parsers, two meanings"),
    _item({"type": True, "role": "user", "content": "x"}, "", "two parsers, two meanings", id="a type that is no word"),
    _item({"id": "msg_1"}, ".role", _STORED, id="a message by its id alone"),
    _item(
        {"role": "user", "content": [{"type": "input_image", "image_url": f"DATA:image/png;base64,{PNG}"}]},
        ".content[0].image_url",
        "two parsers, two meanings",
        id="a scheme in capitals",
    ),
    _item(
        {
            "role": "user",
            "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{PNG}\nhttps://evil.example"}],
        },
        ".content[0].image_url",
        "the provider fetches the URL",
        id="a URL behind a line feed",
    ),
    _block(
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PNG, "url": "https://e.example"},
        },
        ".source.url",
        "the provider fetches the URL",
        id="an image that also has a URL",
    ),
    _turn(
        {"role": "user", "content": [{"type": "image_url", "image_url": "http://169.254.169.254/"}]},
        ".content[0].image_url",
        "the provider fetches the URL",
        "a URL in place of an object",
    ),
    # The text itself
    _raw("not JSON", b"model=test-model", "not the protocol"),
    _raw("a list", b"[]", "not the protocol"),
    _raw("empty", b"", "not the protocol"),
    _raw("byte order mark", b"\xef\xbb\xbf{}", "two parsers, two meanings"),
    _raw("utf-16", '{"model":"x"}'.encode("utf-16"), "two parsers, two meanings"),
    _raw("latin-1", '{"model":"é"}'.encode("latin-1"), "two parsers, two meanings"),
    _raw("duplicate key", b'{"model":"test-model","model":"dearer"}', "two parsers, two meanings"),
    _raw("duplicate key, escaped", b'{"model":"test-model","\\u006dodel":"dearer"}', "two parsers, two meanings"),
    _raw(
        "duplicate key, deep",
        b'{"model":"test-model","max_tokens":1,"messages":[{"role":"user","content":"a","content":"b"}]}',
        "two parsers, two meanings",
    ),
    _raw("NaN", b'{"temperature":NaN}', "not JSON"),
    _raw("Infinity", b'{"temperature":-Infinity}', "not JSON"),
    _raw("overflow", b'{"temperature":1e999}', "two parsers, two meanings"),
    _raw("long integer", b'{"max_tokens":' + b"9" * 5000 + b"}", "hangs a parser"),
    _raw("half a surrogate pair", b'{"model":"\\ud83d"}', "two parsers, two meanings"),
    _raw("half a surrogate pair as a key", b'{"\\udc00":1}', "two parsers, two meanings"),
    _raw("deep", b'{"a":' * 60 + b"1" + b"}" * 60, "crashes a parser"),
    _raw("very deep", b"[" * 200_000, "crashes a parser"),
    _raw("many values", b'{"a":[' + b"1," * 400_000 + b"1]}", "fills memory"),
    _raw("trailing bytes", b'{"model":"test-model"} {"model":"dearer"}', "two parsers, two meanings"),
    _raw("a comment", b'{"model":"test-model" /* x */}', "two parsers, two meanings"),
    _raw("a trailing comma", b'{"model":"test-model",}', "two parsers, two meanings"),
    _raw("NUL", b'{"model":"test-model\x00"}', "two parsers, two meanings"),
)
