"""Every field, block, item and tool that the providers' own SDKs know is decided in the policy.

A new SDK release that knows another one turns this red: someone has to decide before it reaches a provider.
"""

from __future__ import annotations

import typing
from typing import Any

import pydantic
from anthropic.types.beta import message_create_params as anthropic_params
from anthropic.types.beta.beta_content_block_param import BetaContentBlockParam
from anthropic.types.beta.beta_tool_union_param import BetaToolUnionParam
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as responses_params
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from openai.types.responses.tool_param import ToolParam

from aces_ci.gateway.guard import BETAS
from aces_ci.gateway.policy import chat, messages, responses
from tests.gateway.hostile import HOSTILE, M, R

REFUSED_MESSAGES = {
    "betas",
    "billing_policy",
    "compaction",
    "container",
    "fallback_credit_token",
    "fallbacks",
    "inference_geo",
    "mcp_servers",
    "thread",
    "user_profile_id",
    "workspace_id",
}
REFUSED_RESPONSES = {
    "access_programs",
    "background",
    "background_options",
    "context_management",
    "conversation",
    "image",
    "max_tool_calls",
    "moderation",
    "previous_response_id",
    "prompt",
    "top_logprobs",
}
REFUSED_CHAT = {"audio", "function_call", "functions", "logit_bias", "modalities", "moderation", "web_search_options"}
CLIENT_TOOLS = {"custom", "function", "namespace"}
"""Tools that the client runs; every other type the SDKs know is dropped."""


def _fields(shape: type[pydantic.BaseModel]) -> set[str]:
    return {field.alias or name for name, field in shape.model_fields.items()}


def _types(union: Any) -> set[str]:
    """The `type` words of all members of a union of typed dictionaries."""
    found: set[str] = set()
    for member in typing.get_args(union):
        hint = typing.get_type_hints(member).get("type") if hasattr(member, "__annotations__") else None
        stack = [hint]
        while stack:
            here = stack.pop()
            if isinstance(here, str):
                found.add(here)
            else:
                stack.extend(typing.get_args(here))
    return found


def _refused(protocol: object, where: str) -> set[str]:
    """Types that the hostile table proves to be refused."""
    return {case.id.rsplit(": ", 1)[1] for case in HOSTILE if case.protocol is protocol and where in case.id}


def test_every_top_level_field_is_allowed_dropped_or_refused() -> None:
    for name, params, policy, refused in (
        ("messages", anthropic_params.MessageCreateParamsBase, messages, REFUSED_MESSAGES),
        ("responses", responses_params.ResponseCreateParamsBase, responses, REFUSED_RESPONSES),
        ("chat", chat_params.CompletionCreateParamsBase, chat, REFUSED_CHAT),
    ):
        known = set(typing.get_type_hints(params))
        decided = _fields(policy.Body) | set(policy.DROPPED) | refused | {"n"}
        assert known - decided == set(), f"{name}: the SDK knows fields that nobody decided on"
        assert not refused & (_fields(policy.Body) | set(policy.DROPPED))


def test_every_content_block_is_allowed_or_proven_to_be_refused() -> None:
    allowed = {"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image"}
    assert _types(BetaContentBlockParam) - allowed - _refused(M, "block") == set()


def test_every_input_item_is_allowed_or_proven_to_be_refused() -> None:
    allowed = {
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
    }
    assert _types(ResponseInputItemParam) - allowed - _refused(R, "item") == set()


def test_every_other_tool_is_dropped() -> None:
    from tests.gateway.test_policy import _admit

    for protocol, union in ((M, BetaToolUnionParam), (R, ToolParam)):
        hosted = _types(union) - CLIENT_TOOLS
        assert len(hosted) > 10
        for kind in hosted:
            forward = _admit(protocol, tools=[{"type": kind, "name": "x"}])
            assert forward.drops == (f"tool:{kind}",)
            assert "tools" not in forward.body


def test_the_betas_that_pass_are_those_that_real_clis_were_seen_to_send(shared: Any) -> None:
    import json

    seen: set[str] = set()
    for path in (shared / "transcripts").glob("*/*/requests.trimmed.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            headers = {name.lower(): value for name, value in json.loads(line)["headers"].items()}
            seen.update(filter(None, headers.get("anthropic-beta", "").split(",")))
    assert seen == BETAS


def test_every_field_that_real_clis_were_recorded_to_send_is_allowed_or_dropped(shared: Any) -> None:
    import json

    policies = {"/v1/messages": messages, "/v1/responses": responses, "/v1/chat/completions": chat}
    bodies = 0
    for path in (shared / "transcripts").glob("*/*/requests.trimmed.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            request = json.loads(line)
            policy = policies.get(request["path"].partition("?")[0])
            if policy is None or "keys" not in request:
                continue
            bodies += 1
            decided = _fields(policy.Body) | set(policy.DROPPED)
            assert set(request["keys"]) <= decided, (path, set(request["keys"]) - decided)
    assert bodies > 100
