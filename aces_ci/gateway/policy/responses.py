"""What an OpenAI Responses request may hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from aces_ci.gateway.policy.closed import Closed, DataUrl, Name, Schema, Word, check
from aces_ci.gateway.policy.request import Notes, Terms, common, keep_tools, limit, listed
from aces_ci.gateway.strict_json import RefusedError

DROPPED = (
    "metadata",
    "client_metadata",
    "service_tier",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "prompt_cache_options",
    "stream_options",
)
"""Tracking, dearer tiers, cache scopes: removed without a word to the client; the cache key becomes ours."""


class InputText(Closed):
    type: Literal["input_text"]
    text: str


class OutputText(Closed):
    type: Literal["output_text"]
    text: str
    annotations: Annotated[list[Any], Field(max_length=0)] | None = None
    logprobs: Annotated[list[Any], Field(max_length=0)] | None = None


class InputImage(Closed):
    type: Literal["input_image"]
    image_url: DataUrl
    detail: Word | None = None


class SummaryText(Closed):
    type: Literal["summary_text"]
    text: str


class ReasoningText(Closed):
    type: Literal["reasoning_text"]
    text: str


class RefusalPart(Closed):
    type: Literal["refusal"]
    refusal: str


Part = Annotated[InputText | OutputText | InputImage | RefusalPart, Field(discriminator="type")]
Status = Literal["in_progress", "completed", "incomplete"]


class Message(Closed):
    type: Literal["message"] | None = None
    id: Name | None = None
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[Part]
    status: Status | None = None
    phase: Word | None = None


class FunctionCall(Closed):
    type: Literal["function_call"]
    id: Name | None = None
    call_id: Name
    name: Name
    arguments: str
    namespace: Name | None = None
    status: Status | None = None


class FunctionOutput(Closed):
    type: Literal["function_call_output"]
    id: Name | None = None
    call_id: Name
    output: str | list[Part]
    status: Status | None = None


class CustomCall(Closed):
    type: Literal["custom_tool_call"]
    id: Name | None = None
    call_id: Name
    name: Name
    input: str
    namespace: Name | None = None
    status: Status | None = None


class CustomOutput(Closed):
    type: Literal["custom_tool_call_output"]
    id: Name | None = None
    call_id: Name
    output: str | list[Part]


class Reasoning(Closed):
    type: Literal["reasoning"]
    id: Name | None = None
    summary: list[SummaryText] | None = None
    content: list[ReasoningText] | None = None
    encrypted_content: str | None = None
    status: Status | None = None


def _kind(item: Any) -> str:
    """A message may leave out its type."""
    kind = item.get("type") if isinstance(item, dict) else None
    return "message" if kind is None else str(kind)


Item = Annotated[
    Annotated[Message, Tag("message")]
    | Annotated[FunctionCall, Tag("function_call")]
    | Annotated[FunctionOutput, Tag("function_call_output")]
    | Annotated[CustomCall, Tag("custom_tool_call")]
    | Annotated[CustomOutput, Tag("custom_tool_call_output")]
    | Annotated[Reasoning, Tag("reasoning")],
    Discriminator(_kind),
]


class Grammar(Closed):
    type: Literal["text", "grammar"]
    syntax: Word | None = None
    definition: str | None = None


class Function(Closed):
    type: Literal["function"]
    name: Name
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None
    defer_loading: bool | None = None


class Custom(Closed):
    type: Literal["custom"]
    name: Name
    description: str | None = None
    format: Grammar | None = None
    defer_loading: bool | None = None


ClientTool = Annotated[Function | Custom, Field(discriminator="type")]


class Namespace(Closed):
    type: Literal["namespace"]
    name: Name
    description: str | None = None
    tools: list[ClientTool]


Tool = Annotated[Function | Custom | Namespace, Field(discriminator="type")]


class ReasoningMode(Closed):
    effort: Word | None = None
    summary: Word | None = None
    context: Word | None = None


class Format(Closed):
    type: Literal["text", "json_object", "json_schema"]
    name: Name | None = None
    description: str | None = None
    schema_: Schema | None = Field(default=None, alias="schema")
    strict: bool | None = None


class TextMode(Closed):
    format: Format | None = None
    verbosity: Word | None = None


class Body(Closed):
    """Every field of a request that is forwarded."""

    model: str
    input: str | Annotated[list[Item], Field(min_length=1)]
    instructions: str | None = None
    tools: list[Tool] | None = None
    tool_choice: Literal["auto", "none", "required"] | None = None
    parallel_tool_calls: bool | None = None
    reasoning: ReasoningMode | None = None
    store: Literal[False]
    stream: bool = False
    include: list[Literal["reasoning.encrypted_content"]] | None = None
    prompt_cache_key: str | None = None
    max_output_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    text: TextMode | None = None
    truncation: Literal["auto", "disabled"] | None = None


def apply(body: dict[str, Any], terms: Terms, notes: Notes) -> int:
    """Make `body` what is forwarded, in place; the output limit that then holds.

    Raises:
        RefusedError: it holds something that is neither allowed nor dropped.
    """
    common(body, terms, DROPPED, notes)
    keep_tools(body, _client_tools(listed(body, "tools"), notes))
    body["store"] = False
    if terms.cache_key:
        body["prompt_cache_key"] = terms.cache_key
    output = limit(body, "max_output_tokens", terms, notes)
    check(Body, body)
    return output


def tools(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Name and parameter schema of each tool offered; tools of a namespace as `namespace.name`."""
    rows: list[tuple[str, Any]] = []
    for tool in body.get("tools") or ():
        if tool["type"] == "namespace":
            rows += [(f"{tool['name']}.{inner['name']}", inner.get("parameters")) for inner in tool["tools"]]
        else:
            rows.append((tool["name"], tool.get("parameters") or tool.get("format")))
    return rows


def _client_tools(offered: list[Any], notes: Notes) -> list[Any]:
    kept = []
    for tool in offered:
        kind = tool.get("type") if isinstance(tool, dict) else "malformed"
        if kind in ("function", "custom"):
            kept.append(tool)
        elif kind == "namespace":
            if not isinstance(tool.get("tools"), list):
                raise RefusedError("tools", "a namespace without a list of tools")
            inner = _client_tools(tool["tools"], notes)
            if inner:
                kept.append({**tool, "tools": inner})
        else:
            notes.tool(kind)
    return kept
