"""What the driver tells the gateway over its standard input: one JSON object a line.

The first line carries the secrets and nothing else ever does; the second the configuration; then trials
are armed and disarmed. Every line is validated by the gateway, which answers on its standard output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.price import Price
from aces_ci.core.trial import Arm

CONTROL_LINE_LIMIT = 64_000_000
"""Bytes of one control line; the largest honest one is a recorded answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Line 1. Kept in the gateway's memory only."""

    keys: Mapping[str, str]
    """Upstream name to provider key; empty when replaying or for a keyless local server."""
    recording_key: str | None = None
    """Authenticates recordings. None: derived from the first provider key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Where one slot's sandbox reaches the gateway: a unix socket, or loopback for a sandbox without one."""

    slot: str
    path: str | None = None
    host: str = "127.0.0.1"
    port: int | None = None
    """TCP port when `path` is None; 0 lets the system choose, and `ready` says which."""
    tunnel_path: str | None = None
    """Unix socket of the CONNECT proxy for `network.allow`; None: no such proxy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A provider. Named on the policy side only."""

    name: str
    base_url: str
    """Scheme, host and an optional path prefix, without `/v1`; https unless `insecure`."""
    protocols: tuple[Protocol, ...]
    insecure: bool = False
    """Allows http, for a model server on this machine or in this network."""
    chat_limit: str = "max_completion_tokens"
    """Which field gets the output limit of a Chat request that has none; older servers know `max_tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Line 2."""

    listeners: tuple[Listener, ...]
    upstreams: tuple[Upstream, ...]
    prices: tuple[Price, ...] = ()
    """Override the built-in table, first match wins."""
    mode: str = "live"
    """`live`, `record` (live, and every answer is written out) or `replay` (never asks upstream)."""
    journal: bool = False
    """Whether a request waits until the driver says that it has written down what is set aside for it (`noted`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A limit in millionths of a US dollar. Trials armed with the same scope share it."""

    scope: str
    usd_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What the arm promises about the target skill. In texts, any run of white space equals one blank."""

    absent: tuple[str, ...] = ()
    """May not occur in anything the model is shown, apart from its own turns."""
    unlisted: tuple[str, ...] = ()
    """May not occur before the model has spoken: names, which a model may also guess later."""
    listed: tuple[str, ...] = ()
    """One of them occurs in a request before the model has spoken; empty: nothing is promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one trial may ask for, whatever it costs."""

    concurrent: int = 4
    """Requests in flight; more wait for a place."""
    requests: int = 200
    request_bytes: int = 64_000_000
    seconds: float = 3600.0
    """From arming; later requests find the token invalid."""
    max_output: int = 32_000
    """Output tokens of one request; larger wishes are clamped."""
    sent_bytes: int = 16_000_000
    """To hosts of `network.allow`: what a task has to say is small, what somebody carries away is not."""
    received_bytes: int = 256_000_000
    """From hosts of `network.allow`."""
    connections: int = 500
    """To hosts of `network.allow`, refused ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSlot:
    """Lend a slot to a trial."""

    slot: str
    trial: str
    token: str
    """At least 16 characters, random, valid on this slot until disarmed."""
    arm: Arm
    model: str
    upstream: str
    caps: tuple[Cap, ...] = ()
    """Money limits: trial, arm, skill, run. Empty: none, and then a model without a price is accepted."""
    limits: Limits = Limits()
    expectation: Expectation = Expectation()
    cache_key: str = ""
    """Replaces `prompt_cache_key`: the same for equal run, harness, model and arm."""
    hosts: tuple[str, ...] = ()
    """`network.allow`: exact host names reachable on port 443; needs the listener's `tunnel_path`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisarmSlot:
    """Take a slot back: requests in flight are cancelled and settled, then `disarmed` is written."""

    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRecording:
    """One recorded answer for `replay`, as `recorded` wrote it."""

    line: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What was set aside for a request is on the driver's disk: it may go out."""

    slot: str
    number: int
    granted: bool = True
    """False: the run has no money for it, and it does not go out."""


Control = Secrets | Configuration | ArmSlot | DisarmSlot | LoadRecording | Noted

_OPS: dict[str, type] = {
    "secrets": Secrets,
    "configure": Configuration,
    "arm": ArmSlot,
    "disarm": DisarmSlot,
    "load": LoadRecording,
    "noted": Noted,
}
_NAMES = {cls: name for name, cls in _OPS.items()}


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_OPS[name])


def to_control(message: Control) -> str:
    """One line without its newline: `{"op": "arm", ...fields}`, ASCII only."""
    name = _NAMES[type(message)]
    body = _adapter(name).dump_python(message, mode="json")
    return json.dumps({"op": name, **body}, allow_nan=False)


def from_control(line: str) -> Control:
    """The message of one line.

    Raises:
        UsageError: not a line of this version. The text never repeats a value, because line 1 holds secrets.
    """

    def refuse(why: str) -> UsageError:
        return UsageError(
            "the gateway does not read this control line",
            code="gateway_control",
            why=why,
            do="start gateway and driver from the same version of aces-ci",
        )

    if len(line) > CONTROL_LINE_LIMIT:
        raise refuse(f"it is longer than {CONTROL_LINE_LIMIT} characters")
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        raise refuse("not JSON") from None
    if not isinstance(raw, dict):
        raise refuse("not an object")
    name = str(raw.pop("op", None))
    cls = _OPS.get(name)
    if cls is None:
        raise refuse("its op is unknown")
    unknown = set(raw) - {item.name for item in fields(cls)}
    if unknown:
        raise refuse(f"unknown fields: {', '.join(sorted(map(str, unknown)))[:200]}")
    try:
        value: Control = _adapter(name).validate_json(json.dumps(raw), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise refuse(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return value
