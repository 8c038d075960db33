"""What an Anthropic Messages request may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from aces_ci.gateway.policy.closed import Base64, CacheControl, Closed, Name, Schema, Word, check
from aces_ci.gateway.policy.request import Notes, Terms, common, keep_tools, limit, listed
from aces_ci.gateway.strict_json import RefusedError, dump

DROPPED = ("metadata", "service_tier", "speed", "diagnostics")
"""Tracking, dearer tiers and debugging: removed without a word to the client."""


class Text(Closed):
    type: Literal["text"]
    text: str
    cache_control: CacheControl | None = None
    citations: Annotated[list[Any], Field(max_length=0)] | None = None


class Thinking(Closed):
    type: Literal["thinking"]
    thinking: str
    signature: str = ""
    cache_control: CacheControl | None = None


class RedactedThinking(Closed):
    type: Literal["redacted_thinking"]
    data: str


class DirectCaller(Closed):
    type: Literal["direct"]


class ToolUse(Closed):
    type: Literal["tool_use"]
    id: Name
    name: Name
    input: dict[str, Any]
    caller: DirectCaller | None = None
    cache_control: CacheControl | None = None


class ImageData(Closed):
    type: Literal["base64"]
    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: Base64


class Image(Closed):
    type: Literal["image"]
    source: ImageData
    cache_control: CacheControl | None = None


class ToolReference(Closed):
    """Names a tool of this very request, found by the CLI's own tool search."""

    type: Literal["tool_reference"]
    tool_name: Name
    cache_control: CacheControl | None = None


Shown = Annotated[Text | Image | ToolReference, Field(discriminator="type")]


class ToolResult(Closed):
    type: Literal["tool_result"]
    tool_use_id: Name
    content: str | list[Shown] | None = None
    is_error: bool | None = None
    cache_control: CacheControl | None = None


Block = Annotated[Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image, Field(discriminator="type")]


class UserOrAssistant(Closed):
    role: Literal["user", "assistant"]
    content: str | list[Block]


class SystemTurn(Closed):
    role: Literal["system"]
    content: str | list[Text]


Turn = Annotated[UserOrAssistant | SystemTurn, Field(discriminator="role")]


class Tool(Closed):
    """A tool that the client runs."""

    type: Literal["custom"] | None = None
    name: Name
    description: str | None = None
    input_schema: Schema
    cache_control: CacheControl | None = None
    strict: bool | None = None
    defer_loading: bool | None = None
    input_examples: list[dict[str, Any]] | None = None
    eager_input_streaming: bool | None = None


class ToolChoice(Closed):
    type: Literal["auto", "any", "none", "tool"]
    name: Name | None = None
    disable_parallel_tool_use: bool | None = None


class ThinkingMode(Closed):
    type: Literal["enabled", "disabled", "adaptive", "between_tools"]
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    display: Word | None = None


class Amount(Closed):
    type: Literal["input_tokens", "tool_uses", "thinking_turns"]
    value: int


class ClearThinking(Closed):
    type: Literal["clear_thinking_20251015"]
    keep: Amount | Literal["all"] | None = None


class ClearToolUses(Closed):
    type: Literal["clear_tool_uses_20250919"]
    trigger: Amount | None = None
    keep: Amount | None = None
    clear_at_least: Amount | None = None
    clear_tool_inputs: bool | list[Name] | None = None
    exclude_tools: list[Name] | None = None


class ContextManagement(Closed):
    edits: list[Annotated[ClearThinking | ClearToolUses, Field(discriminator="type")]]


class OutputFormat(Closed):
    type: Literal["json_schema"]
    schema_: Schema = Field(alias="schema")


class OutputConfig(Closed):
    effort: Word | None = None
    format: OutputFormat | None = None


class Body(Closed):
    """Every field of a request that is forwarded."""

    model: str
    messages: Annotated[list[Turn], Field(min_length=1)]
    system: str | list[Text] | None = None
    tools: list[Tool] | None = None
    tool_choice: ToolChoice | None = None
    max_tokens: int
    stream: bool = False
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop_sequences: list[str] | None = None
    thinking: ThinkingMode | None = None
    context_management: ContextManagement | None = None
    output_config: OutputConfig | None = None
    cache_control: CacheControl | None = None


def apply(body: dict[str, Any], terms: Terms, notes: Notes) -> int:
    """Make `body` what is forwarded, in place; the output limit that then holds.

    Raises:
        RefusedError: it holds something that is neither allowed nor dropped.
    """
    common(body, terms, DROPPED, notes)
    kept = []
    for tool in listed(body, "tools"):
        if isinstance(tool, dict) and tool.get("type") in (None, "custom") and "input_schema" in tool:
            kept.append(tool)
        else:
            notes.tool(tool.get("type") if isinstance(tool, dict) else "malformed")
    keep_tools(body, kept)
    if "max_tokens" not in body:
        raise RefusedError("max_tokens", "is missing")
    output = limit(body, "max_tokens", terms, notes)
    check(Body, body)
    _chosen(body, {tool["name"] for tool in kept})
    thinking = body.get("thinking") or {}
    budget = thinking.get("budget_tokens")
    if budget is not None and budget >= output:
        notes.clamp("thinking.budget_tokens", budget, max(output - 1, 1))
        thinking["budget_tokens"] = max(output - 1, 1)
    return output


def tools(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Name and parameter schema of each tool offered."""
    return [(tool["name"], tool["input_schema"]) for tool in body.get("tools") or ()]


def unfolded(body: dict[str, Any]) -> int:
    """Bytes of the definitions that the provider writes out where a reference stands, once for each reference."""
    sizes = {tool["name"]: len(dump(tool)) for tool in body.get("tools") or ()}
    return sum(sizes[name] for _, name in _references(body))


def _chosen(body: dict[str, Any], offered: set[str]) -> None:
    choice = (body.get("tool_choice") or {}).get("name")
    if choice is not None and choice not in offered:
        raise RefusedError("tool_choice.name", "names a tool that is not offered")
    for index, name in _references(body):
        if name not in offered:
            raise RefusedError(f"messages[{index}]", "refers to a tool that is not offered")


def _references(body: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Index of the turn and name of the tool, for each reference in a result."""
    for index, turn in enumerate(body["messages"]):
        for block in turn["content"] if isinstance(turn["content"], list) else ():
            shown = block.get("content") if block["type"] == "tool_result" else None
            for part in shown if isinstance(shown, list) else ():
                if part["type"] == "tool_reference":
                    yield index, part["tool_name"]
