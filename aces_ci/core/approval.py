"""Who may let a change spend money, or wave a loss through: one person, one commit; money once.

The state machine of `docs/trust.md` rule 6. Everything here is decided from values that the forge's
server gave; a label's payload, a commit's date and a comment's text are the author's to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from aces_ci.core.slash import Purpose

WRITERS = frozenset({"write", "maintain", "admin"})


class Via(StrEnum):
    """How a person approved, strongest first."""

    ENVIRONMENT = "environment"
    """A job waited for a reviewer; its run is fixed to one SHA."""
    COMMAND = "command"
    LABEL = "label"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a person did. Times are the server's, ISO 8601 in UTC with equal form, so that they compare as
    text."""

    purpose: Purpose
    via: Via
    actor: str
    person: bool
    """False for a bot or an app."""
    at: str
    sha: str | None
    """The commit named by the command or fixed by the run; None for a label, which names none."""
    base_ref: str | None
    """The target branch when it was asked."""
    edited: bool = False
    used: bool = False
    """It has already started a run."""
    attempt: int = 1
    """Of the job that asks: above 1 it is a re-run of an old one."""
    attempts: int | None = None
    """Most runs of a case that the command asks for; None: as the policy says."""
    cases: tuple[str, ...] = ()
    """Ids of the cases that the command names; empty: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The change request as the forge tells it at this moment."""

    head_sha: str
    base_ref: str
    open: bool
    draft: bool
    permission: str
    """The actor's, in GitHub's words: admin, maintain, write, triage, read, none."""
    own: bool
    """The head lives in this repository."""
    same_head: int = 1
    """Open change requests with this head."""
    label: bool = True
    """The label is still set."""
    voided_at: str | None = None
    """The last push, force push, reopening or retargeting that the server dates; None: none."""
    structure_at: str | None = None
    """When our structural result for this very head was posted; None: it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Good for one purpose, one commit, one target branch and one budget."""

    purpose: Purpose
    sha: str
    base_ref: str
    actor: str
    via: Via
    at: str
    attempts: int | None = None
    cases: tuple[str, ...] = ()
    """As the command asked: they can only make the run smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why not: a stable word, and one sentence for a person that says what to do instead."""

    code: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What people said of one run. None: nobody was asked."""

    live: Approval | Refusal | None = None
    accepted: Approval | Refusal | None = None

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Those to tell a person of."""
        return tuple(word for word in (self.live, self.accepted) if isinstance(word, Refusal))

    def recorded(self) -> Mapping[str, object]:
        """What the first line of the evidence keeps of an accepted loss; gates read `accepted`."""
        if not isinstance(self.accepted, Approval):
            return {}
        given = self.accepted
        kept = {"sha": given.sha, "base_ref": given.base_ref, "by": given.actor, "via": given.via.value, "at": given.at}
        return {"accepted": True, "acceptance": kept}


def decide(ask: Ask, now: Standing) -> Approval | Refusal:
    """The approval that `ask` amounts to, or the first reason against it."""
    for code, applies, because in _REASONS:
        if applies(ask, now):
            return Refusal(code=code, because=because.format(ask=ask, now=now, label=ask.purpose.label))
    return Approval(
        purpose=ask.purpose,
        sha=now.head_sha,
        base_ref=now.base_ref,
        actor=ask.actor,
        via=ask.via,
        at=ask.at,
        attempts=ask.attempts,
        cases=ask.cases,
    )


def still_holds(approval: Approval, now: Standing, attempt: int = 1) -> Refusal | None:
    """Asked again before the first paid request, and by every shard; `attempt` is that of the job that asks."""
    ask = Ask(
        purpose=approval.purpose,
        via=approval.via,
        actor=approval.actor,
        person=True,
        at=approval.at,
        sha=approval.sha,
        base_ref=approval.base_ref,
        attempt=attempt,
    )
    # By now the label is gone, because using it took it off, and our comment may have been edited since.
    found = decide(ask, replace(now, label=True, structure_at=""))
    return found if isinstance(found, Refusal) else None


_Applies = Callable[[Ask, Standing], bool]
_REASONS: tuple[tuple[str, _Applies, str], ...] = (
    (
        "rerun",
        lambda ask, now: ask.purpose is Purpose.LIVE and ask.attempt > 1,
        "This is a re-run of an older job, and an approval counts once; approve the commit again.",
    ),
    (
        "used",
        lambda ask, now: ask.purpose is Purpose.LIVE and ask.used,
        "This approval has already started a run; approve the commit again to spend again.",
    ),
    (
        "closed",
        lambda ask, now: not now.open,
        "The change is closed; reopen it and approve the commit then.",
    ),
    (
        "draft",
        lambda ask, now: now.draft,
        "The change is a draft; mark it ready and approve the commit then.",
    ),
    (
        "bot",
        lambda ask, now: not ask.person,
        "A bot cannot approve; a person with write access must do it.",
    ),
    (
        "permission",
        lambda ask, now: now.permission not in WRITERS,
        "Approving needs write access, and this account has {now.permission}; ask a maintainer.",
    ),
    (
        "edited",
        lambda ask, now: ask.edited,
        "The comment was edited after it was written; write a new one.",
    ),
    (
        "no_sha",
        lambda ask, now: ask.via is not Via.LABEL and ask.sha is None and not now.own,
        "For a fork the command must name the commit in full: /aces {ask.purpose} {now.head_sha}",
    ),
    (
        "moved",
        lambda ask, now: ask.sha is not None and ask.sha != now.head_sha,
        "The head is not the approved commit any more; look at {now.head_sha} and approve that.",
    ),
    (
        "retargeted",
        lambda ask, now: ask.base_ref is not None and ask.base_ref != now.base_ref,
        "The target branch was changed since; approve the commit again.",
    ),
    (
        "ambiguous",
        lambda ask, now: now.same_head != 1,
        "More than one open change has this head, so the approval does not say which; close the others.",
    ),
    (
        "label_gone",
        lambda ask, now: ask.via is Via.LABEL and not now.label,
        "The label {label} has been taken off; set it again.",
    ),
    (
        "unseen",
        lambda ask, now: ask.via is Via.LABEL and now.structure_at is None,
        "The text checks of this commit have no result yet; wait for the comment, then set {label} again.",
    ),
    (
        "too_early",
        lambda ask, now: ask.via is Via.LABEL and (now.structure_at or "") >= ask.at,
        "The label is older than the text checks of this commit; take {label} off, look, and set it again.",
    ),
    (
        "voided",
        lambda ask, now: now.voided_at is not None and now.voided_at >= ask.at,
        "A push, a reopening or a new target came after the approval; approve the commit again.",
    ),
)
