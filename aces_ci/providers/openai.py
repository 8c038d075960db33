"""The OpenAI API, protocol Responses, over the official SDK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aces_ci.core.asking.question import Question
from aces_ci.core.asking.reply import native_schema
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.providers import _sdk
from aces_ci.providers._openai import SAMPLING, Model


class Responses(Model):
    """One model. Nothing is stored at the provider."""

    protocol = "openai"

    def __init__(self, options: ProviderOptions) -> None:
        # `text` alone would be found in every other message: "context length", "the text is too long".
        words = {**SAMPLING, "text": ("text.format", "'text'", *_sdk.STRUCTURED)}
        super().__init__(options, {"temperature": 0, "text": None}, words)

    def send(self, question: Question, extras: dict[str, Any]) -> Any:
        """See `Model`."""
        if "text" in extras:
            schema = native_schema(question.schema)
            extras["text"] = {"format": {"type": "json_schema", "name": "judgement", "schema": schema, "strict": True}}
        return self._client.responses.create(
            model=self.model,
            instructions=question.system,
            input=question.user,
            max_output_tokens=question.max_tokens,
            store=False,
            **extras,
        )

    def text(self, response: Any) -> str:
        """See `Model`."""
        parts = [part for item in response.output or () if item.type == "message" for part in item.content]
        if any(part.type == "refusal" for part in parts):
            raise _sdk.Said("the model refused to answer")
        if response.status != "completed":
            why = getattr(response.incomplete_details, "reason", None) or response.status
            raise _sdk.Said(f"the reply was cut off ({why})")
        return "".join(part.text for part in parts if part.type == "output_text")


@dataclass(frozen=True, slots=True)
class Factory:
    """`judge.provider: openai`."""

    name: str = "openai"
    key_variable: str | None = "OPENAI_API_KEY"
    default_model: str | None = "gpt-5.4-mini"
    packages: tuple[str, ...] = ("openai",)

    def open(self, options: ProviderOptions) -> Provider:
        """See `ProviderFactory`."""
        return Responses(options)


PROVIDER = Factory()
