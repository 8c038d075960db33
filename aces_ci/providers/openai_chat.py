"""Chat completions over the official SDK: OpenAI, and every server that speaks it (Ollama, vLLM, llama.cpp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aces_ci.core.asking.question import Question
from aces_ci.core.asking.reply import native_schema
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.providers import _sdk
from aces_ci.providers._openai import SAMPLING, SEED, Model


class Chat(Model):
    """One model."""

    protocol = "openai_chat"

    def __init__(self, options: ProviderOptions) -> None:
        # OpenAI has renamed the parameter, servers of one's own mostly know the old name.
        limits = ("max_tokens", "max_completion_tokens")
        limit, other = limits if options.base_url else reversed(limits)
        super().__init__(
            options,
            {limit: None, "temperature": 0, "seed": SEED, "response_format": None},
            {**SAMPLING, "response_format": _sdk.STRUCTURED},
            {limit: other},
        )

    def send(self, question: Question, extras: dict[str, Any]) -> Any:
        """See `Model`."""
        if "response_format" in extras:
            schema = native_schema(question.schema)
            extras["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "judgement", "schema": schema, "strict": True},
            }
        limit = next(name for name in extras if name.startswith("max_"))
        extras[limit] = question.max_tokens
        return self._client.chat.completions.create(
            model=self.model,
            messages=[{"role": "system", "content": question.system}, {"role": "user", "content": question.user}],
            **extras,
        )

    def text(self, response: Any) -> str:
        """See `Model`."""
        if not response.choices:
            raise _sdk.Said("the provider gave no choice")
        choice = response.choices[0]
        if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
            raise _sdk.Said("the model refused to answer")
        if choice.finish_reason != "stop":
            raise _sdk.Said(f"the reply was cut off ({choice.finish_reason})")
        return choice.message.content or ""


@dataclass(frozen=True, slots=True)
class Factory:
    """`judge.provider: openai_chat`, and `compatible` with a base URL."""

    name: str = "openai_chat"
    key_variable: str | None = "OPENAI_API_KEY"
    default_model: str | None = "gpt-5.4-mini"
    packages: tuple[str, ...] = ("openai",)

    def open(self, options: ProviderOptions) -> Provider:
        """See `ProviderFactory`."""
        return Chat(options)


PROVIDER = Factory()
