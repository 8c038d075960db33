"""Who answers a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.spending.price import Price

NO_SDK = "no_sdk"
"""The code of the error where a provider's package is not installed."""


class Provider(Protocol):
    """One provider with one model.

    Every failure that a judge can cause (refusal, truncation, bad JSON, 429 after retries, time-out) is an Answer
    with `error` set. Raises UsageError only for what the user must fix before money is spent: wrong key, unknown
    model, no price under a dollar budget.
    """

    @property
    def name(self) -> str:
        """The plug-in's name and, for a server of one's own, its address: part of every cached answer's key."""
        ...

    @property
    def model(self) -> str:
        """As the user or the default named it."""
        ...

    def ask(self, question: Question) -> Answer:
        """One reply. Blocking; called from several threads at once."""
        ...

    def close(self) -> None:
        """Give back connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """What one provider is made from. Nothing is read from the environment or from disk behind it."""

    model: str
    key: str = ""
    base_url: str | None = None
    price: Price | None = None
    """Of `model`; None leaves every cost unknown."""
    timeout: float = 120.0
    """Seconds of one request without a byte; the SDKs' own ten minutes would hold a job."""
    limit: float = 300.0
    """Seconds of one question by the clock on the wall: tries, waits between them, and replies that drip."""
    retries: int = 3
    """Of 408, 409, 429, 5xx and lost connections, with the provider's own `retry-after`."""
    recordings: Callable[[], Iterable[str]] = field(default=tuple)
    """Lines for provider `recorded`."""

    @property
    def tries(self) -> int:
        """Requests of one question at the most."""
        return self.retries + 1


class ProviderFactory(Protocol):
    """The plug-in: constant `PROVIDER`."""

    @property
    def name(self) -> str:
        """As `judge.provider` names it."""
        ...

    @property
    def key_variable(self) -> str | None:
        """The environment variable that holds its key; None: it needs none."""
        ...

    @property
    def default_model(self) -> str | None:
        """What judges where the user names no model; None: the user must."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """Importable packages that it needs, loaded only by `open`."""
        ...

    def open(self, options: ProviderOptions) -> Provider:
        """The provider, its SDK imported now. Raises UsageError where the SDK is not installed."""
        ...
