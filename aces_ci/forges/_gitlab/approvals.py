"""A merge request's approvals. Labels and notes start nothing on GitLab, so a pressed manual job is the
approval.

A job in the parent project is fixed to one commit, and who pressed it stands in its variables. The label
`aces:accept` is dated by the project's label events; a push, by the diff's versions: both are the server's
word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.approval import Approval, Ask, Refusal, Standing, Via, decide, still_holds
from aces_ci.core.event import Event
from aces_ci.core.slash import Purpose
from aces_ci.forges._gitlab.notes import MergeRequestNotes
from aces_ci.forges._sticky import seen_at
from aces_ci.shell.http import Api, HttpError

_LEVELS = ((50, "admin"), (40, "maintain"), (30, "write"), (20, "triage"), (10, "read"))


def asked(event: Event, purpose: Purpose, env: Mapping[str, str]) -> bool:
    """Whether anybody asked at all, which needs no token: by a pressed job, or by a label."""
    if purpose is not Purpose.LIVE:
        return purpose.label in event.labels
    # In the fork's own project anyone may press: only a job of the target project counts.
    here = env.get("CI_PROJECT_ID") == env.get("CI_MERGE_REQUEST_PROJECT_ID")
    return here and env.get("CI_JOB_MANUAL") == "true"


@dataclass(slots=True)
class Approvals:
    """The approvals of one merge request."""

    api: Api
    notes: MergeRequestNotes

    def given(self, event: Event, purpose: Purpose, key: str, env: Mapping[str, str]) -> Approval | Refusal | None:
        """The approval behind this job; None where nobody asked for `purpose`."""
        if not asked(event, purpose, env):
            return None
        ask = self._button(event, env) if purpose is Purpose.LIVE else self._label(event, purpose)
        return None if ask is None else decide(ask, self._standing(ask.actor, purpose, key))

    def recheck(self, approval: Approval) -> Refusal | None:
        """Against the merge request as it is now."""
        return still_holds(approval, self._standing(approval.actor, approval.purpose, None))

    def _button(self, event: Event, env: Mapping[str, str]) -> Ask:
        return Ask(
            purpose=Purpose.LIVE,
            via=Via.ENVIRONMENT,
            actor=(actor := env.get("GITLAB_USER_ID", "")),
            person=self._person(actor),
            at=_utc(env.get("CI_JOB_STARTED_AT", "")),
            sha=event.head_sha,
            base_ref=event.base_ref,
        )

    def _label(self, event: Event, purpose: Purpose) -> Ask | None:
        rows = [
            row
            for row in self.api.pages(f"{self._path}/resource_label_events")
            if row["action"] == "add" and (row.get("label") or {}).get("name") == purpose.label
        ]
        if not rows:
            return None
        last = max(rows, key=lambda row: str(row["created_at"]))
        return Ask(
            purpose=purpose,
            via=Via.LABEL,
            actor=str(last["user"]["id"]),
            person=self._person(str(last["user"]["id"])),
            at=_utc(last["created_at"]),
            sha=event.head_sha,
            base_ref=event.base_ref,
        )

    def _standing(self, actor: str, purpose: Purpose, key: str | None) -> Standing:
        change = self.api.get(self._path).data
        head = change["sha"]
        same = [
            row
            for row in self.api.pages(f"/projects/{self.notes.project}/repository/commits/{head}/merge_requests")
            if row["state"] == "opened" and row["sha"] == head
        ]
        pushes = [_utc(row["created_at"]) for row in self.api.pages(f"{self._path}/versions")]
        seen = None if key is None else seen_at(self.notes.marked(key), head)
        return Standing(
            head_sha=head,
            base_ref=change["target_branch"],
            open=change["state"] == "opened",
            draft=bool(change.get("draft")),
            permission=self._permission(actor),
            own=change["source_project_id"] == change["target_project_id"],
            same_head=len(same),
            label=purpose.label in change["labels"],
            voided_at=max(pushes, default=None),
            structure_at=None if seen is None else _utc(seen),
        )

    def _person(self, actor: str) -> bool:
        """A project's access token is a user too, which may press jobs and set labels; only the user tells."""
        if not actor.isdigit():
            return True  # nobody's id: the permission refuses it
        try:
            return self.api.get(f"/users/{actor}").data.get("bot") is not True
        except HttpError as error:
            if error.status != 404:
                raise
            return False

    def _permission(self, actor: str) -> str:
        if not actor.isdigit():
            return "none"
        try:
            row = self.api.get(f"/projects/{self.notes.project}/members/all/{actor}").data
        except HttpError as error:
            if error.status != 404:
                raise
            return "none"
        return next((word for level, word in _LEVELS if row["access_level"] >= level), "none")

    @property
    def _path(self) -> str:
        return f"/projects/{self.notes.project}/merge_requests/{self.notes.number}"


def _utc(text: str) -> str:
    """GitLab's times (`…Z`, with or without fractions) in one form that compares as text; others as they
    are."""
    return text.removesuffix("Z").partition(".")[0] + "Z" if text.endswith("Z") else text
