"""Money: set aside before a request goes out, settled when it is over.

Whole millionths of a US dollar. Everything happens on one event loop without a pause between looking and
taking, so a hundred parallel requests cannot pass a cap together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.spending.control import Cap


class OverBudgetError(Exception):
    """A cap would be passed. `later`: only because of what is set aside for requests that are not over yet."""

    def __init__(self, scope: str, *, later: bool = False) -> None:
        super().__init__(f"the budget of {scope} does not cover this request")
        self.scope = scope
        self.later = later


@dataclass(slots=True)
class Account:
    """One scope."""

    cap: int
    spent: int = 0
    held: int = 0

    @property
    def free(self) -> int:
        """What may still be set aside; negative after a request that cost more than its upper bound."""
        return self.cap - self.spent - self.held


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Money set aside in several accounts at once."""

    scopes: tuple[str, ...]
    micros: int


class Ledger:
    """All accounts of one gateway; scopes live as long as it does, because trials share them."""

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._settled = asyncio.Event()

    def open(self, caps: Sequence[Cap]) -> None:
        """Make the accounts known. A cap that is named again takes the new limit and keeps what was spent."""
        for cap in caps:
            account = self._accounts.setdefault(cap.scope, Account(cap=cap.usd_micros))
            account.cap = cap.usd_micros

    def reserve(self, scopes: Sequence[str], micros: int) -> Reservation:
        """Set `micros` aside in every scope, or in none.

        Raises:
            OverBudgetError: names the first scope that cannot cover it.
        """
        short = [scope for scope in scopes if self._accounts[scope].free < micros]
        for scope in short:
            account = self._accounts[scope]
            if account.cap - account.spent < micros:
                raise OverBudgetError(scope)
        if short:
            raise OverBudgetError(short[0], later=True)
        for scope in scopes:
            self._accounts[scope].held += micros
        return Reservation(scopes=tuple(scopes), micros=micros)

    async def reserved(self, scopes: Sequence[str], micros: int) -> Reservation:
        """As `reserve`, but what others have set aside is waited for: they give most of it back.

        Raises:
            OverBudgetError: what is spent leaves no room for it.
        """
        while True:
            try:
                return self.reserve(scopes, micros)
            except OverBudgetError as error:
                if not error.later:
                    raise
            self._settled.clear()
            await self._settled.wait()

    def settle(self, reservation: Reservation, micros: int) -> None:
        """Replace what was set aside by what it cost."""
        for scope in reservation.scopes:
            self._accounts[scope].held -= reservation.micros
            self._accounts[scope].spent += micros
        self._settled.set()

    def account(self, scope: str) -> Account:
        """A copy of one account's state."""
        account = self._accounts[scope]
        return Account(cap=account.cap, spent=account.spent, held=account.held)
