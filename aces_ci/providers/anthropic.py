"""The Claude API over the official SDK, and servers that speak the same protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.reply import native_schema
from aces_ci.core.trial import Usage
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.providers import _sdk

URL = "https://api.anthropic.com"


class Anthropic:
    """One model. The API takes no sampling parameters any more, so none are sent: votes and the cache stand in."""

    def __init__(self, options: ProviderOptions) -> None:
        try:
            import anthropic
        except ImportError:
            raise _sdk.missing("anthropic") from None
        self.name = f"anthropic {options.base_url}" if options.base_url else "anthropic"
        self.model = options.model
        self._options = options
        self._sdk: Any = anthropic
        self._extras = _sdk.Droppable({"output_config": None}, {"output_config": ("output_config", *_sdk.STRUCTURED)})
        # Key and address are given, so that the SDK looks for neither in the environment nor in a profile.
        key = options.key or "none"
        self._client = anthropic.Anthropic(
            api_key=key,
            base_url=options.base_url or URL,
            timeout=options.timeout,
            max_retries=options.retries,
            http_client=anthropic.DefaultHttpxClient(
                follow_redirects=False, event_hooks=_sdk.hooks(("x-api-key", key))
            ),
        )

    def ask(self, question: Question) -> Answer:
        """See `Provider`."""
        return _sdk.answer(question, self._options, self._sdk, lambda: self._call(question))

    def close(self) -> None:
        """See `Provider`."""
        self._client.close()

    def _call(self, question: Question) -> tuple[Callable[[], str], str | None, Usage | None, Mapping[str, object]]:
        while True:
            extras = self._extras.current()
            if "output_config" in extras:
                schema = native_schema(question.schema)
                extras["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
            try:
                message = self._client.messages.create(
                    model=self.model,
                    max_tokens=question.max_tokens,
                    system=question.system,
                    messages=[{"role": "user", "content": _content(question)}],
                    **extras,
                )
            except self._sdk.APIStatusError as error:
                if self._extras.drop(error, extras):
                    continue
                raise
            return partial(_text, message), message.model, _usage(message), {}


def _content(question: Question) -> list[Any]:
    """The part that repeats is marked for the provider's cache."""
    shared, own = question.user[: question.shared], question.user[question.shared :]
    front = [{"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}}] if shared else []
    return [*front, {"type": "text", "text": own}]


def _text(message: Any) -> str:
    if message.stop_reason == "refusal":
        raise _sdk.Said("the model refused to answer")
    if message.stop_reason not in ("end_turn", "stop_sequence"):
        raise _sdk.Said(f"the reply was cut off ({message.stop_reason})")
    return "".join(block.text for block in message.content or () if block.type == "text")


def _usage(message: Any) -> Usage | None:
    usage = message.usage
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_write_tokens=usage.cache_creation_input_tokens or 0,
    )


@dataclass(frozen=True, slots=True)
class Factory:
    """`judge.provider: anthropic`."""

    name: str = "anthropic"
    key_variable: str | None = "ANTHROPIC_API_KEY"
    default_model: str | None = "claude-haiku-5-5"
    packages: tuple[str, ...] = ("anthropic",)

    def open(self, options: ProviderOptions) -> Provider:
        """See `ProviderFactory`."""
        return Anthropic(options)


PROVIDER = Factory()
