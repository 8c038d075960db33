"""What an OpenAI Chat Completions request may hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from aces_ci.gateway.policy.closed import CacheControl, Closed, DataUrl, Name, Schema, Word, check
from aces_ci.gateway.policy.request import Notes, Terms, common, keep_tools, limit, listed
from aces_ci.gateway.strict_json import RefusedError

DROPPED = (
    "metadata",
    "service_tier",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "prompt_cache_options",
    "prediction",
    "logprobs",
    "top_logprobs",
    "store",
)
"""Tracking, dearer tiers, storage: removed without a word to the client."""
LIMITS = ("max_tokens", "max_completion_tokens")


class TextPart(Closed):
    type: Literal["text"]
    text: str
    cache_control: CacheControl | None = None


class ImageUrl(Closed):
    url: DataUrl
    detail: Word | None = None


class ImagePart(Closed):
    type: Literal["image_url"]
    image_url: ImageUrl


class RefusalPart(Closed):
    type: Literal["refusal"]
    refusal: str


Texts = str | list[TextPart]


class System(Closed):
    role: Literal["system"]
    content: Texts
    name: Name | None = None


class Developer(Closed):
    role: Literal["developer"]
    content: Texts
    name: Name | None = None


class User(Closed):
    role: Literal["user"]
    content: str | list[Annotated[TextPart | ImagePart, Field(discriminator="type")]]
    name: Name | None = None


class CalledFunction(Closed):
    name: Name
    arguments: str


class Call(Closed):
    id: Name
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None


class Assistant(Closed):
    role: Literal["assistant"]
    content: str | list[Annotated[TextPart | RefusalPart, Field(discriminator="type")]] | None = None
    tool_calls: list[Call] | None = None
    reasoning_content: str | None = None
    refusal: str | None = None
    name: Name | None = None


class ToolTurn(Closed):
    role: Literal["tool"]
    tool_call_id: Name
    content: str | list[Annotated[TextPart | ImagePart, Field(discriminator="type")]]
    name: Name | None = None


Turn = Annotated[System | Developer | User | Assistant | ToolTurn, Field(discriminator="role")]


class Function(Closed):
    name: Name
    description: str | None = None
    parameters: Schema | None = None
    strict: bool | None = None


class Tool(Closed):
    type: Literal["function"]
    function: Function


class ChosenFunction(Closed):
    name: Name


class Choice(Closed):
    type: Literal["function"]
    function: ChosenFunction


class JsonSchema(Closed):
    name: Name
    description: str | None = None
    schema_: Schema | None = Field(default=None, alias="schema")
    strict: bool | None = None


class Format(Closed):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(Closed):
    include_usage: Literal[True]


class Body(Closed):
    """Every field of a request that is forwarded."""

    model: str
    messages: Annotated[list[Turn], Field(min_length=1)]
    tools: list[Tool] | None = None
    tool_choice: Literal["auto", "none", "required"] | Choice | None = None
    parallel_tool_calls: bool | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    response_format: Format | None = None
    reasoning_effort: Word | None = None
    verbosity: Word | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None


def apply(body: dict[str, Any], terms: Terms, notes: Notes) -> int:
    """Make `body` what is forwarded, in place; the output limit that then holds.

    Raises:
        RefusedError: it holds something that is neither allowed nor dropped.
    """
    common(body, terms, DROPPED, notes)
    if body.pop("n", 1) not in (1, None):
        raise RefusedError("n", "must be 1")
    kept = []
    for tool in listed(body, "tools"):
        if isinstance(tool, dict) and tool.get("type") == "function":
            kept.append(tool)
        else:
            notes.tool(tool.get("type") if isinstance(tool, dict) else "malformed")
    keep_tools(body, kept)
    named = [name for name in LIMITS if body.get(name) is not None] or [terms.chat_limit]
    output = max(limit(body, name, terms, notes) for name in named)
    if body.get("stream"):
        body["stream_options"] = {"include_usage": True}
    else:
        body.pop("stream_options", None)
    check(Body, body)
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice["function"]["name"] not in dict(tools(body)):
        raise RefusedError("tool_choice.function.name", "names a tool that is not offered")
    return output


def tools(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Name and parameter schema of each tool offered."""
    return [(tool["function"]["name"], tool["function"].get("parameters")) for tool in body.get("tools") or ()]
