"""What both vendors' SDKs have in common: how a call fails, and which parameter a refusal names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Protocol

from aces_ci.core.amount import plural
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.reply import BadReply, paired, parse
from aces_ci.core.errors import UsageError
from aces_ci.core.spending.price import cost
from aces_ci.core.trial import Usage
from aces_ci.ports.provider import NO_SDK, ProviderOptions
from aces_ci.providers._watch import Watch, on_request, on_response
from aces_ci.shell.deadline import Over

STRUCTURED = (
    "output_format", "response_format", "response format", "json_schema", "json schema", "structured output",
    "structured outputs", "structured_outputs", "guided_json", "guided decoding", "constrained decoding", "grammar",
)  # fmt: skip
"""Words by which servers refuse a schema for the reply."""
COMPLAINT_LIMIT = 2_000
"""Characters of a refusal in which a parameter is looked for."""
_NEEDED = frozenset({"max_tokens", "max_completion_tokens"})
_UNKNOWN = re.compile(
    r"unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|instead|deprecated"
)
"""How a refusal of a parameter differs from one of its value ("max_tokens is too large")."""
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


def hooks(credential: tuple[str, str]) -> dict[str, list[Callable[[Any], None]]]:
    """Event hooks of a client's HTTP."""
    return {"request": [explicit(credential), on_request], "response": [on_response]}


class Droppable:
    """Parameters that a model may refuse; one that a 400 names is dropped for good, or goes by another name from then.

    Thread-safe. `names` gives the words by which a refusal knows a parameter beside its own name, `instead` the other
    name of one that is needed.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        names: Mapping[str, tuple[str, ...]] | None = None,
        instead: Mapping[str, str] | None = None,
    ) -> None:
        self._parameters = dict(parameters)
        self._names = names or {}
        self._instead = dict(instead or {})
        self._lock = Lock()

    def current(self) -> dict[str, Any]:
        """What is sent next."""
        with self._lock:
            return dict(self._parameters)

    def drop(self, error: Exception, sent: Mapping[str, Any]) -> bool:
        """Whether `error` is a 400 that names a parameter which was sent; then it is not sent like that any more."""
        # Some compatible servers check a request's form before all else, and answer 422 as their framework does.
        if getattr(error, "status_code", None) not in (400, 422):
            return False
        text = _complaint(error).lower()
        for name in sent:
            # "'max_completion_tokens' instead of 'max_tokens'": the longer name holds no shorter one.
            if any(re.search(rf"(?<![a-z_]){re.escape(word)}(?![a-z_])", text) for word in self._words(name)):
                return (name not in _NEEDED or bool(_UNKNOWN.search(text))) and self._without(name)
        return False

    def _words(self, name: str) -> tuple[str, ...]:
        return self._names.get(name, (name,))

    def _without(self, name: str) -> bool:
        with self._lock:
            if name not in self._parameters:
                return True
            other = self._instead.get(name)
            if other is not None:
                # One change of name, never none at all: a reply without a limit has no bound in money.
                self._instead.clear()
                self._parameters[other] = self._parameters.pop(name)
            elif name in self._instead.values() or name in _NEEDED:
                return False
            else:
                del self._parameters[name]
        return True


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
    watch = Watch(options.limit)
    try:
        read, model, said, sampling = watch.over(call)
    except Over:
        return Answer(item=item, vote=vote, error=f"no answer within {options.limit:g} s in all")
    except failures.APIError as error:
        return Answer(item=item, vote=vote, error=_failure(error, options, failures), usd_micros=_unpaid(error))
    except _SHAPELESS as error:
        return Answer(item=item, vote=vote, error=_unreadable(error))
    usage = _believable(said, question)
    used = usage or Usage()
    paid = cost(options.price, usage) if options.price is not None and usage is not None else None
    fields: dict[str, Any] = {
        "item": item,
        "vote": vote,
        "model": paired(model or options.model),
        "input_tokens": used.input_tokens + used.cache_read_tokens + used.cache_write_tokens,
        "output_tokens": used.output_tokens,
        "usd_micros": paid,
        "unsettled": watch.unsettled,
        "sampling": dict(sampling),
    }
    try:
        return Answer(reply=parse(read(), question.schema), **fields)
    except (Said, BadReply) as error:
        return Answer(error=str(error), **fields)
    except _SHAPELESS as error:
        return Answer(error=_unreadable(error), **fields)


def _believable(usage: Usage | None, question: Question) -> Usage | None:
    """What a server says was used, where it can be true; anything else is unknown, which is no free call.

    Counts are not of the type that the SDK declares: it takes over what a server sends.
    """
    if usage is None:
        return None
    prompt = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    if not all(type(count) is int and count >= 0 for count in (*prompt, usage.output_tokens)):
        return None
    # No prompt is empty, so a server that counts none does not count.
    possible = 0 < sum(prompt) <= question.most_input_tokens and usage.output_tokens <= question.max_tokens
    return usage if possible else None


def missing(package: str) -> UsageError:
    """The SDK is not installed."""
    return UsageError(
        f"the judge needs the package `{package}`, which is not installed",
        code=NO_SDK,
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


def _complaint(error: Exception) -> str:
    """What a refusal says itself, without what it quotes of the request: a skill may be about temperatures."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return _body_text(error)
    said = [inner.get(key) for key in ("param", "code", "message", "msg", "detail")]
    flat = json.dumps([_unquoted(each) for each in said if each], default=str)
    return flat[:COMPLAINT_LIMIT] if any(said) else _body_text(error)


def _unquoted(value: object) -> object:
    """Without the `input` that a validation error of pydantic repeats."""
    if isinstance(value, Mapping):
        return {key: _unquoted(each) for key, each in value.items() if key != "input"}
    return [_unquoted(each) for each in value] if isinstance(value, list) else value


def _body_text(error: Exception) -> str:
    body = getattr(error, "body", None)
    text = json.dumps(body, default=str) if body is not None else str(error)
    return paired(" ".join(text.split()))
