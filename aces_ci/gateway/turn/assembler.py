"""The contract of an assembler, one object an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from aces_ci.core.trial import Usage


class SurpriseError(Exception):
    """The provider's answer is not one that we asked for: hosted-tool items, or not the protocol at all."""


class Assembler(Protocol):
    """Takes an answer whole or event by event; what it then holds goes into the record.

    `event` and `whole` raise SurpriseError before anything of that event may be delivered.
    """

    complete: bool
    """The provider said that the turn is over."""
    failed: str
    """The provider's own words for an error inside a 200 answer, or empty."""

    def event(self, data: Mapping[str, Any]) -> None:
        """One event of a stream."""
        ...

    def whole(self, body: Mapping[str, Any]) -> None:
        """A whole answer."""
        ...

    def response(self) -> dict[str, Any] | None:
        """The turn so far as a non-streaming response object; None before anything came."""
        ...

    def usage(self) -> Usage | None:
        """As reported; None where the provider did not say, or said something impossible."""
        ...


def count(value: object) -> int | None:
    """A number of tokens, or None where it is not one. An absent number is None as well."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def mapping(value: object) -> Mapping[str, Any]:
    """The object there, or an empty one."""
    return value if isinstance(value, dict) else {}


def words(value: object) -> str:
    """Untrusted text for one clause of a record."""
    return " ".join(str(value).split())[:300]
