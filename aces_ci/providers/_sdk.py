"""What both vendors' SDKs have in common: how a call fails, and which parameter a refusal names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Protocol

from aces_ci.core.amount import plural
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.reply import BadReply, paired, parse
from aces_ci.core.errors import UsageError
from aces_ci.core.spending.price import cost
from aces_ci.core.trial import Usage
from aces_ci.ports.provider import ProviderOptions

SAID_LIMIT = 200
"""Characters of a provider's own words in an error."""


# What the SDKs let through where a server answers with HTML, or with JSON of another form.
_SHAPELESS = (ValueError, TypeError, AttributeError, KeyError, IndexError)
_HEADERS = frozenset(
    {
        "host", "connection", "accept", "accept-encoding", "user-agent", "content-type", "content-length",
        "anthropic-version", "idempotency-key",
    }
)  # fmt: skip


class Failures(Protocol):
    """The exception classes of one SDK."""

    APIStatusError: type[Exception]
    APITimeoutError: type[Exception]
    APIConnectionError: type[Exception]
    APIError: type[Exception]


class Said(Exception):
    """A reply that came and cannot be used: refusal or truncation. Its usage was paid for all the same."""


def explicit(credential: tuple[str, str]) -> Callable[[Any], None]:
    """What makes each request carry `credential` (header and value) and nothing that an SDK took from elsewhere.

    Both SDKs add headers of their own from the environment (custom headers, organisation, project); a header that is
    not in the list below is taken out on the way.
    """
    header, value = credential

    def hook(request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in _HEADERS and not name.lower().startswith("x-stainless-"):
                del request.headers[name]
        request.headers[header] = value

    return hook


class Droppable:
    """Parameters that a model may refuse; one that a 400 names is dropped for good. Thread-safe.

    `names` gives the words by which a refusal knows a parameter, where its own name is too common a word.
    """

    def __init__(self, parameters: Mapping[str, Any], names: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._parameters = dict(parameters)
        self._names = names or {}
        self._lock = Lock()

    def current(self) -> dict[str, Any]:
        """What is sent next."""
        with self._lock:
            return dict(self._parameters)

    def drop(self, error: Exception, sent: Mapping[str, Any]) -> bool:
        """Whether `error` is a 400 that names a parameter which was sent; then it is not sent any more."""
        if getattr(error, "status_code", None) != 400:
            return False
        text = _body_text(error)
        for name in sent:
            if any(word in text for word in self._names.get(name, (name,))):
                with self._lock:
                    self._parameters.pop(name, None)
                return True
        return False


def answer(
    question: Question,
    options: ProviderOptions,
    failures: Failures,
    call: Callable[[], tuple[Callable[[], str], str | None, Usage | None, Mapping[str, object]]],
) -> Answer:
    """One call as an Answer.

    `call` gives how to read the text (may raise `Said`), the resolved model, the usage and the sampling sent.

    Raises:
        UsageError: the key or the model is wrong.
    """
    item, vote = question.item, question.vote
    try:
        read, model, usage, sampling = call()
    except failures.APIError as error:
        return Answer(item=item, vote=vote, error=_failure(error, options, failures), usd_micros=_unpaid(error))
    except _SHAPELESS as error:
        return Answer(item=item, vote=vote, error=_unreadable(error))
    used = usage or Usage()
    paid = cost(options.price, usage) if options.price is not None and usage is not None else None
    fields: dict[str, Any] = {
        "item": item,
        "vote": vote,
        "model": paired(model or options.model),
        "input_tokens": used.input_tokens + used.cache_read_tokens + used.cache_write_tokens,
        "output_tokens": used.output_tokens,
        "usd_micros": paid,
        "sampling": dict(sampling),
    }
    try:
        return Answer(reply=parse(read(), question.schema), **fields)
    except (Said, BadReply) as error:
        return Answer(error=str(error), **fields)
    except _SHAPELESS as error:
        return Answer(error=_unreadable(error), **fields)


def missing(package: str) -> UsageError:
    """The SDK is not installed."""
    return UsageError(
        f"the judge needs the package `{package}`, which is not installed",
        code="no_sdk",
        do="pip install 'aces-ci[judge]'",
    )


def _failure(error: Exception, options: ProviderOptions, failures: Failures) -> str:
    if isinstance(error, failures.APITimeoutError):
        return f"no answer within {options.timeout:g} s in {plural(options.retries + 1, 'try', 'tries')}"
    status = getattr(error, "status_code", None)
    if isinstance(error, failures.APIStatusError) and status is not None:
        if status in (401, 403):
            # Not in the provider's words: some repeat a part of the key.
            raise UsageError(
                f"the provider refused the key ({status})",
                code="key_refused",
                why="nothing can be judged with it",
                do="check the secret that holds the provider key, and which provider it belongs to",
            ) from None
        if status == 404:
            raise UsageError(
                f"the provider knows no model `{options.model}` there (404)",
                code="unknown_model",
                do="correct `judge.model`, or `judge.base_url` where it names a server of your own",
            ) from None
        again = (
            f" after {plural(options.retries + 1, 'try', 'tries')}"
            if status in (408, 409, 429) or status >= 500
            else ""
        )
        return f"the provider answered {status}{again}: {_body_text(error)[:SAID_LIMIT]}"
    if isinstance(error, failures.APIConnectionError):
        return f"the connection failed in {plural(options.retries + 1, 'try', 'tries')}"
    return _unreadable(error)


def _unreadable(error: Exception) -> str:
    return f"the answer cannot be read: {type(error).__name__}"


def _unpaid(error: Exception) -> int | None:
    """A refused request costs nothing; one that was cut or timed out may have been paid for."""
    return 0 if getattr(error, "status_code", None) is not None else None


def _body_text(error: Exception) -> str:
    body = getattr(error, "body", None)
    text = json.dumps(body, default=str) if body is not None else str(error)
    return paired(" ".join(text.split()))
