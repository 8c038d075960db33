"""Asks a forge whether people let this run spend, or accepted a loss; a forge that cannot say has nobody said it."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter, ValidationError

from aces_ci.core.approval import Approval, Consent, Refusal
from aces_ci.core.errors import DeliveryError, NotPermitted, UsageError
from aces_ci.core.event import Event, Trust
from aces_ci.core.slash import Purpose
from aces_ci.ports.forge import Forge
from aces_ci.shell.log import Log

HANDED_ON = "ACES_APPROVAL"
"""Environment variable by which the planning job of a workflow hands its approval to the shards."""


def consent(forge: Forge, event: Event, key: str, log: Log, handed_on: str = "", *, use: bool = True) -> Consent:
    """What is known of a change request. Own branches need no approval to spend; a command is always answered.

    Without `use` an approval to spend is looked at and stays good for a run. One that the planning job has used up and
    `handed_on` is only asked again whether it still holds.

    Raises:
        UsageError: what was handed on is no approval.
    """
    if event.change_request is None:
        return Consent()
    try:
        found = Consent(
            live=_live(forge, event, key, handed_on, use=use),
            accepted=forge.approval(event, Purpose.ACCEPT, key),
        )
    except (DeliveryError, NotPermitted) as error:
        log.line(f"notice: approvals could not be read ({error.message}), so nothing is approved")
        return Consent()
    for refusal in found.refusals:
        log.line(f"notice: {refusal.because}")
    return found


def _live(forge: Forge, event: Event, key: str, handed_on: str, *, use: bool) -> Approval | Refusal | None:
    if handed_on:
        given = _read(handed_on)
        return forge.recheck(event, given) or given
    asked = event.trust is Trust.FORK or event.comment is not None
    return forge.approval(event, Purpose.LIVE, key, use=use) if asked else None


def still_given(forge: Forge, event: Event, found: Consent) -> Refusal | None:
    """Asked of the forge once more before the first paid request; None: it holds, or none was needed. A forge that
    does not answer now has not said that it still holds."""
    if not isinstance(found.live, Approval):
        return None
    try:
        return forge.recheck(event, found.live)
    except (DeliveryError, NotPermitted) as error:
        return Refusal(
            code="unreadable",
            because=f"Whether the approval still holds could not be read ({error.message}); approve the commit again.",
        )


def hand_on(found: Consent) -> str:
    """The approval to spend as one line of JSON; empty where there is none."""
    return _adapter().dump_json(found.live).decode() if isinstance(found.live, Approval) else ""


def _read(text: str) -> Approval:
    try:
        return _adapter().validate_json(text, strict=True, extra="forbid")
    except ValidationError:
        raise UsageError(
            f"{HANDED_ON} holds no approval",
            code="approval_handed_on",
            do="pass on the output `approval` of the planning job as it is",
        ) from None


@cache
def _adapter() -> TypeAdapter[Approval]:
    return TypeAdapter(Approval)
