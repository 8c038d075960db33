"""One request of an agent to a model, as the gateway saw it, on the wire as a JSON line.

The gateway writes these; trajectories, cost and the arm check are built from them.
What the model said (`response`) is authentic, because the gateway fetched it. What the agent sent (`request`)
is a claim about the world, but it is exactly what the model was asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.connection import Connection
from aces_ci.core.trial import Usage

EXCHANGE_VERSION = 1


class Protocol(StrEnum):
    """The three ways in which agents speak to models."""

    MESSAGES = "messages"
    """Anthropic Messages, `POST /v1/messages`."""
    RESPONSES = "responses"
    """OpenAI Responses, `POST /v1/responses`."""
    CHAT = "chat"
    """OpenAI Chat Completions, `POST /v1/chat/completions`."""


class Outcome(StrEnum):
    """How one exchange ended. `INFRA` outcomes are the only source of *infrastructure failed*."""

    COMPLETE = "complete"
    """The model's turn was delivered whole."""
    REFUSED = "refused"
    """The request policy refused it; nothing was forwarded."""
    OVER_BUDGET = "over_budget"
    """A cap would have been passed; nothing was forwarded."""
    LIMITED = "limited"
    """Too many requests, bytes or parallel requests in this trial; nothing was forwarded."""
    ABANDONED = "abandoned"
    """The sandbox went away, or read too slowly; the upstream request was cancelled."""
    REJECTED = "rejected"
    """The provider answered 4xx to a request that the policy let through (429 apart)."""
    UPSTREAM_FAILED = "upstream_failed"
    """No answer, 429 or 5xx after all retries, or the stream was cut: the provider's fault."""
    SURPRISE = "surprise"
    """The provider's answer held hosted-tool items or was not the protocol; not delivered further."""
    REPLAY_MISS = "replay_miss"
    """Replaying, and this request was never recorded."""


INFRA_OUTCOMES = frozenset({Outcome.UPSTREAM_FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Which field of the request was refused, e.g. `messages[0].content[1].type`, and why."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and what became of it. Money is in millionths of a US dollar; times are in seconds."""

    slot: str
    trial: str
    """Digest of the trial that the slot's token was armed for."""
    number: int
    """1-based, by arrival within the trial. Exchanges are written when they end: sort by it."""
    protocol: Protocol | None
    """None where the endpoint itself was refused."""
    outcome: Outcome
    status: int
    """HTTP status delivered to the sandbox."""
    at: str
    """Arrival, ISO 8601 in UTC with milliseconds."""
    seconds: float
    """Arrival to last byte delivered."""
    first_byte_seconds: float | None = None
    """Arrival to the first byte of the answer's body; None where nothing came from upstream."""
    upstream_seconds: float | None = None
    """Of `seconds`, from the forwarding of the request that was answered to the provider's last byte."""
    streamed: bool = False
    endpoint: str = ""
    """Method and path, e.g. `POST /v1/messages`."""
    request: Mapping[str, Any] | None = None
    """The body as forwarded, after drops and clamps; None where it was refused."""
    request_digest: str | None = None
    """sha256 hex of the forwarded bytes; the key of the recording."""
    response: Mapping[str, Any] | None = None
    """The delivered turn as the protocol's non-streaming response object, put together from the stream where
    it was streamed; incomplete where `outcome` is not COMPLETE."""
    usage: Usage | None = None
    """As the provider reported it, `input_tokens` without cached ones in every protocol. None: not told."""
    reserved_micros: int | None = None
    """Upper bound set aside before forwarding; None where no price is known."""
    charged_micros: int | None = None
    """What the caps were charged: by usage, or the reservation where usage is unknown."""
    model: str | None = None
    resolved_model: str | None = None
    """As the provider named it in the answer."""
    tools: tuple[str, ...] = ()
    """Names of the tools offered, as forwarded, in order."""
    tools_digest: str | None = None
    """sha256 hex of the canonical tool list; equal in both arms of a fair pair."""
    drops: tuple[str, ...] = ()
    """What was taken out or clamped, without positions, sorted: `field:metadata`, `tool:web_search`,
    `beta:context-1m-2025-08-07`, `clamp:max_tokens 64000->32000`."""
    refusal: Refusal | None = None
    attempts: int = 0
    """Requests sent upstream for it; more than 1 means that the gateway retried."""
    because: str = ""
    """One clause for every outcome but COMPLETE."""
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCheck:
    """What the model really saw of the target skill in one trial."""

    fair: bool | None
    """None: no request was forwarded or nothing was promised, so nothing can be told."""
    because: str = ""
    """Why it is not fair: the first request that broke the arm's promise."""
    target_seen: bool = False
    """The target's name or text occurred in a forwarded request."""
    listing_seen: bool = False
    """The target's listing occurred in the first forwarded request of the main conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """Sum over one trial's exchanges, given when its slot is disarmed."""

    slot: str
    trial: str
    exchanges: int
    """Every request that reached the slot with the trial's token, refused ones included."""
    forwarded: int
    refused: int
    unauthorised: int = 0
    """Requests on this slot with a wrong or no token, while it was armed."""
    usage: Usage = field(default_factory=Usage)
    charged_micros: int | None = None
    unsettled: int = 0
    """Exchanges charged at their reservation, because the provider did not report usage."""
    resolved_models: tuple[str, ...] = ()
    tool_digests: tuple[str, ...] = ()
    """Distinct digests of tool lists by first use; the first is the main conversation's, compare that one."""
    drops: tuple[str, ...] = ()
    """Union, sorted. Differs between arms: the pair is not fair."""
    refusals: tuple[Refusal, ...] = ()
    """Distinct, first 50."""
    arm: ArmCheck
    over_budget: bool = False
    infra: str = ""
    """Why the provider is to blame for this trial's failure, or empty; the only word for it."""
    connections: tuple[Connection, ...] = ()
    """To hosts of `network.allow` and to others, in the order in which they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """Money is set aside for a request that goes out next. Written first, so that a killed driver knows of it."""

    slot: str
    trial: str
    number: int
    micros: int
    """With what earlier attempts of the same exchange may have cost."""


Event = Exchange | TrialRecord | Reserved
_EVENTS: dict[str, type] = {"exchange": Exchange, "disarmed": TrialRecord, "reserved": Reserved}
_NAMES = {cls: name for name, cls in _EVENTS.items()}


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_EVENTS[name])


def to_event(value: Event) -> str:
    """One line without its newline, ASCII only: `{"event":"exchange" | "disarmed" | "reserved","v":1,...fields}`."""
    name = _NAMES[type(value)]
    fields_of_value = _adapter(name).dump_json(value, ensure_ascii=True).decode("ascii")
    return f'{{"event":"{name}","v":{EXCHANGE_VERSION},{fields_of_value[1:]}'


def from_event(line: str) -> Event | None:
    """The value of one line of the gateway; None for an event of another kind (`ready`, `armed`, `fault`).

    Raises:
        UsageError: the line is not JSON, of another version, or has unknown or wrong fields.
    """

    def refuse(why: str) -> UsageError:
        return UsageError(
            "the gateway wrote a line that this version does not read",
            code="gateway_event",
            why=why,
            do="use a gateway image of the same version as aces-ci",
        )

    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise refuse(f"not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise refuse("not an object")
    name = str(raw.pop("event", None))
    cls = _EVENTS.get(name)
    if cls is None:
        return None
    if raw.pop("v", None) != EXCHANGE_VERSION:
        raise refuse(f"its version is not {EXCHANGE_VERSION}")
    unknown = set(raw) - {item.name for item in fields(cls)}
    if unknown:
        raise refuse(f"unknown fields: {', '.join(sorted(map(str, unknown)))[:200]}")
    try:
        value: Event = _adapter(name).validate_json(json.dumps(raw), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise refuse(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return value
