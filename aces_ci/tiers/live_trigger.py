"""Whether the live tier may start, and for which skills (`docs/trust.md` rule 6). Pure."""

from __future__ import annotations

from collections.abc import Collection

from aces_ci.core.approval import Approval, Consent, Refusal
from aces_ci.core.change import ChangeSet, How
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.evidence import Skipped, Tier
from aces_ci.core.next_step import GITLAB, LIVE_JOB

LABEL = "aces:live"
# A person or a schedule asked for this very run; no setting but `off` stands against it.
_ASKED = frozenset({EventKind.COMMAND, EventKind.DISPATCH, EventKind.SCHEDULE})


def refused(event: Event, consent: Consent, when: str) -> Skipped | None:
    """Why no agent may run at all, or None.

    Args:
        when: the setting `live.when`: auto, label or off.
    """
    if when == "off":
        return _skip("off", "`live.when: off` in `aces.yml`")
    if event.trust is Trust.FORK:
        told = not_approved(event, consent)
        return None if told is None else _skip("fork", told)
    if event.kind is EventKind.COMMAND and not isinstance(consent.live, Approval):
        told = next((word.because.rstrip(".") for word in consent.refusals), "the command was not accepted")
        return _skip("command", told)
    if event.kind is EventKind.PUSH:
        return _skip("push", "a push has no change request; `aces-ci live` and a schedule measure branches")
    if when == "label" and event.kind not in _ASKED and LABEL not in event.labels:
        starts = f"▶ on job `{LIVE_JOB}`" if event.forge == GITLAB else f"Label `{LABEL}`"
        return _skip("label", f"`when: label` in `aces.yml`. {starts} starts it")
    return None


def not_approved(event: Event, consent: Consent) -> str | None:
    """Why nothing may be spent on a fork's commit, as a clause; None: a person approved it, or it is no fork's."""
    if event.trust is not Trust.FORK:
        return None
    given = consent.live
    if isinstance(given, Approval) and given.sha == event.head_sha:
        return None
    return given.because.rstrip(".") if isinstance(given, Refusal) else "fork, not approved"


def without_cases(changes: ChangeSet, having: Collection[str]) -> tuple[Skipped, ...]:
    """A word for every skill that has no cases on either side."""
    return tuple(
        Skipped(tier=Tier.LIVE, skill=change.path, code="no_evals", because=f"`{change.label}` has no `evals/`")
        for change in changes.skills
        if change.how is not How.DELETED and change.path not in having
    )


def _skip(code: str, because: str) -> Skipped:
    return Skipped(tier=Tier.LIVE, skill=None, code=code, because=because)
