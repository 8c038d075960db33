"""Asks a forge whether people let this run spend, or accepted a loss; a forge that cannot say has nobody said it."""

from __future__ import annotations

from aces_ci.core.approval import Consent
from aces_ci.core.errors import DeliveryError, NotPermitted
from aces_ci.core.event import Event, Trust
from aces_ci.core.slash import Purpose
from aces_ci.ports.forge import Forge
from aces_ci.shell.log import Log


def consent(forge: Forge, event: Event, key: str, log: Log) -> Consent:
    """What is known of a change request. Own branches need no approval to spend; a command is always answered."""
    if event.change_request is None:
        return Consent()
    ask_live = event.trust is Trust.FORK or event.comment is not None
    try:
        found = Consent(
            live=forge.approval(event, Purpose.LIVE, key) if ask_live else None,
            accepted=forge.approval(event, Purpose.ACCEPT, key),
        )
    except (DeliveryError, NotPermitted) as error:
        log.line(f"notice: approvals could not be read ({error.message}), so nothing is approved")
        return Consent()
    for refusal in found.refusals:
        log.line(f"notice: {refusal.because}")
    return found
