"""The client, the usage and the repeated asking that both protocols of the OpenAI SDK share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.trial import Usage
from aces_ci.ports.provider import ProviderOptions
from aces_ci.providers import _sdk

URL = "https://api.openai.com/v1"
SEED = 20261129
SAMPLING: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature", "sampling parameters", "sampling parameter"),
    "seed": ("seed",),
}
"""Words by which a refusal knows what was sent of them."""


class Model:
    """One model behind one protocol; subclasses send and read."""

    protocol = ""

    def __init__(
        self,
        options: ProviderOptions,
        extras: Mapping[str, Any],
        names: Mapping[str, tuple[str, ...]],
        instead: Mapping[str, str] | None = None,
    ) -> None:
        try:
            import openai
        except ImportError:
            raise _sdk.missing("openai") from None
        self.name = f"{self.protocol} {options.base_url}" if options.base_url else self.protocol
        self.model = options.model
        self._options = options
        self._sdk: Any = openai
        self._extras = _sdk.Droppable(extras, names, instead)
        # A server of one's own often wants no key, the SDK always does.
        key = options.key or "none"
        self._client: Any = openai.OpenAI(
            api_key=key,
            base_url=options.base_url or URL,
            timeout=options.timeout,
            max_retries=options.retries,
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, event_hooks=_sdk.hooks(("authorization", f"Bearer {key}"))
            ),
        )

    def ask(self, question: Question) -> Answer:
        """See `Provider`."""
        return _sdk.answer(question, self._options, self._sdk, lambda: self._call(question))

    def close(self) -> None:
        """See `Provider`."""
        self._client.close()

    def send(self, question: Question, extras: dict[str, Any]) -> Any:
        """One request with the extras that the model is not known to refuse."""
        raise NotImplementedError

    def text(self, response: Any) -> str:
        """The reply's text. Raises `_sdk.Said` for a refusal or a cut."""
        raise NotImplementedError

    def _call(self, question: Question) -> tuple[Callable[[], str], str | None, Usage | None, Mapping[str, object]]:
        while True:
            extras = self._extras.current()
            sampling = {name: value for name, value in extras.items() if name in ("temperature", "seed")}
            try:
                response = self.send(question, extras)
            except self._sdk.APIStatusError as error:
                if self._extras.drop(error, extras):
                    continue
                raise
            model = getattr(response, "model", None)
            return partial(self.text, response), model, usage_of(getattr(response, "usage", None)), sampling


def usage_of(usage: Any) -> Usage | None:
    """Counts under either protocol's names; the prompt's count includes what was cached."""
    if usage is None:
        return None
    prompt = _first(usage, "prompt_tokens", "input_tokens")
    output = _first(usage, "completion_tokens", "output_tokens")
    if prompt is None or output is None:
        return None
    details = _first(usage, "prompt_tokens_details", "input_tokens_details")
    cached = getattr(details, "cached_tokens", None) or 0
    written = getattr(details, "cache_write_tokens", None) or 0
    if not all(type(count) is int for count in (prompt, cached, written)):
        return None
    return Usage(
        # More cached than there is leaves less than nothing, which nobody believes.
        input_tokens=prompt - cached - written,
        output_tokens=output,
        cache_read_tokens=cached,
        cache_write_tokens=written,
    )


def _first(value: Any, *names: str) -> Any:
    return next((found for name in names if (found := getattr(value, name, None)) is not None), None)
