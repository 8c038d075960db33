"""A pull request's approvals: what was asked, how things stand, and the using up of it.

Using is a test-and-set on GitHub's side: a reaction is created (201) or already there (200), a label is
taken off (200) or gone (404). So two jobs that see one approval do not both spend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from aces_ci.core.approval import Approval, Ask, Refusal, Standing, Via, decide, still_holds
from aces_ci.core.event import Event
from aces_ci.core.slash import Purpose, is_command, read_command
from aces_ci.forges._github.comments import Comments
from aces_ci.forges._github.pulls import open_with_head
from aces_ci.forges._github.reviews import Reviews
from aces_ci.forges._sticky import seen_at
from aces_ci.shell.http import Api, Forbidden, HttpError

_VOIDING = frozenset({"head_ref_force_pushed", "reopened", "base_ref_changed", "head_ref_restored"})


@dataclass(slots=True)
class Approvals:
    """The approvals of one pull request."""

    api: Api
    comments: Comments
    reviews: Reviews | None = None
    """Of the environment that this job waited for; None: it waited for none."""

    def given(self, event: Event, purpose: Purpose, key: str, attempt: int, *, use: bool) -> Approval | Refusal | None:
        """The approval behind `event`, decided and, with `use`, used up; None where nobody asked for `purpose`."""
        if self.reviews is not None and purpose is Purpose.LIVE and event.comment is None:
            return self._reviewed(self.reviews, event, key, attempt)
        asked = self._command(event, purpose) if event.comment is not None else self._label(event, purpose)
        if asked is None or isinstance(asked, Refusal):
            return asked
        ask = replace(asked, attempt=attempt)
        found = decide(ask, self._standing(ask.actor, purpose, key))
        # An accepted loss stands until a push, so that a failed job can be run again; money is spent once.
        spends = use and purpose is Purpose.LIVE
        if spends and isinstance(found, Approval) and not self._use(event, purpose):
            return decide(replace(ask, used=True), self._standing(ask.actor, purpose, key))
        return found

    def recheck(self, approval: Approval, attempt: int) -> Refusal | None:
        """Against the pull request as it is now."""
        return still_holds(approval, self._standing(approval.actor, approval.purpose, None), attempt)

    def _reviewed(self, reviews: Reviews, event: Event, key: str, attempt: int) -> Approval | Refusal:
        """A review lets one job start, and a job that starts again is a later attempt: GitHub itself uses it up."""
        asked = reviews.asks(event)
        if isinstance(asked, Refusal):
            return asked
        found = [
            decide(replace(ask, attempt=max(attempt, ask.attempt)), self._standing(ask.actor, Purpose.LIVE, key))
            for ask in asked
        ]
        return next((word for word in found if isinstance(word, Approval)), found[0])

    def _command(self, event: Event, purpose: Purpose) -> Ask | Refusal | None:
        row = self.api.get(f"{self._repo}/issues/comments/{event.comment}").data
        if not is_command(row["body"]):
            return None
        command = read_command(row["body"])
        if isinstance(command, str):
            return Refusal(code="grammar", because=command)
        if command.purpose is not purpose:
            return None
        return Ask(
            purpose=purpose,
            via=Via.COMMAND,
            actor=row["user"]["login"],
            person=row["user"]["type"] == "User",
            at=row["created_at"],
            sha=command.sha,
            base_ref=event.base_ref,
            edited=row["created_at"] != row["updated_at"],
            attempts=command.attempts,
            cases=command.cases,
        )

    def _label(self, event: Event, purpose: Purpose) -> Ask | None:
        # Labels and their setting as they are now, not as the payload has them: a payload is as old as its run.
        change = self.api.get(f"{self._repo}/pulls/{self.comments.number}").data
        if purpose.label not in {row["name"] for row in change["labels"]}:
            return None
        setting = [
            row
            for row in self._events()
            if row.get("event") == "labeled" and (row.get("label") or {}).get("name") == purpose.label
        ]
        if not setting:
            return None
        last = max(setting, key=lambda row: str(row["created_at"]))
        actor = last.get("actor") or {}
        return Ask(
            purpose=purpose,
            via=Via.LABEL,
            actor=str(actor.get("login", "")),
            person=actor.get("type") == "User",
            at=last["created_at"],
            # A payload of the labelling itself says what the head was then, whatever came after.
            sha=event.head_sha,
            base_ref=event.base_ref,
        )

    def _standing(self, actor: str, purpose: Purpose, key: str | None) -> Standing:
        change = self.api.get(f"{self._repo}/pulls/{self.comments.number}").data
        head = change["head"]["sha"]
        same = open_with_head(self.api, self.comments.repo, head)
        voiding = [str(row["created_at"]) for row in self._events() if row.get("event") in _VOIDING]
        return Standing(
            head_sha=head,
            base_ref=change["base"]["ref"],
            open=change["state"] == "open",
            draft=bool(change.get("draft")),
            permission=self._permission(actor),
            own=(change["head"]["repo"] or {}).get("id") == change["base"]["repo"]["id"],
            same_head=len(same),
            label=purpose.label in {row["name"] for row in change["labels"]},
            voided_at=max(voiding, default=None),
            structure_at=None if key is None else seen_at(self.comments.marked(key), head),
        )

    def _permission(self, actor: str) -> str:
        try:
            row = self.api.get(f"{self._repo}/collaborators/{quote(actor, safe='')}/permission").data
        except HttpError as error:
            if error.status != 404:
                raise
            return "none"
        return str(row.get("role_name") or row["permission"])

    def _use(self, event: Event, purpose: Purpose) -> bool:
        """Whether this job is the one that uses the approval."""
        try:
            if event.comment is not None:
                path = f"{self._repo}/issues/comments/{event.comment}/reactions"
                return self.api.send("POST", path, {"content": "rocket"}).status == 201
            label = quote(purpose.label, safe="")
            self.api.send("DELETE", f"{self._repo}/issues/{self.comments.number}/labels/{label}")
        except Forbidden as error:
            if error.status == 404:
                return False
            raise
        return True

    def _events(self) -> list[Any]:
        return list(self.api.pages(f"{self._repo}/issues/{self.comments.number}/events"))

    @property
    def _repo(self) -> str:
        return f"/repos/{self.comments.repo}"
