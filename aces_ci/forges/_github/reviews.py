"""The review of a deployment environment: GitHub held the job back until a person let it go.

The history of reviews belongs to a run, and has neither times nor a commit. So the run is read beside it: it was made
for one commit, before anybody could review it, and a re-run of it would find the old review again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from aces_ci.core.approval import Ask, Refusal, Via
from aces_ci.core.event import Event
from aces_ci.core.slash import Purpose
from aces_ci.shell.http import Api, Forbidden, HttpError

_EVENTS = frozenset({"pull_request", "pull_request_target"})
_FORM = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What people said of the environment that this very job waited for."""

    api: Api
    repo: str
    run: str
    """Id of the run that this job is part of."""
    environment: str
    """Named by the workflow, which is the default branch's wherever there is a secret."""
    sha: str
    """The commit that the runner was given: for `pull_request_target` the base's."""

    def asks(self, event: Event) -> tuple[Ask, ...] | Refusal:
        """Every approval of the environment on this run, or why there is none."""
        try:
            run = self.api.get(f"/repos/{self.repo}/actions/runs/{self.run}").data
            rows = self.api.get(f"/repos/{self.repo}/actions/runs/{self.run}/approvals").data
        except (Forbidden, HttpError) as error:
            if error.status not in (401, 403, 404):
                raise
            return _refusal("review_unreadable", "This run's reviews cannot be read; give the job `actions: read`.")
        if run["event"] not in _EVENTS:
            return _refusal(
                "review_event",
                f"A review counts in a run of a pull request, and this is one of {run['event']}; use "
                "pull_request_target.",
            )
        # GitHub files a run of pull_request_target under the head or the base, and has changed its mind about it;
        # which head that run is about stands in its event alone.
        based = {event.base_sha, self.sha} if run["event"] == "pull_request_target" else set()
        if run["head_sha"] not in {event.head_sha, *based}:
            return _refusal(
                "review_commit", "This run belongs to another commit than its event; push to start a new one."
            )
        reviews = [row for row in rows if self._ours(row)]
        given = tuple(self._ask(row, run, event) for row in reviews if row["state"] == "approved")
        if given:
            return given
        if any(row["state"] == "rejected" for row in reviews):
            return _refusal("review_rejected", f"The review of {self.environment} says no; ask the reviewer why.")
        return _refusal(
            "not_reviewed",
            f"Nobody approved {self.environment} for this run; give that environment required reviewers, and this "
            "job its name.",
        )

    def _ours(self, row: Any) -> bool:
        # GitHub takes the names of environments without regard to case.
        return self.environment.casefold() in {item["name"].casefold() for item in row["environments"]}

    def _ask(self, row: Any, run: Any, event: Event) -> Ask:
        user = row.get("user") or {}
        return Ask(
            purpose=Purpose.LIVE,
            via=Via.ENVIRONMENT,
            actor=str(user.get("login", "")),
            person=user.get("type") == "User",
            at=_after(run["created_at"]),
            sha=event.head_sha,
            base_ref=event.base_ref,
            attempt=int(run.get("run_attempt") or 1),
        )


def _after(created: str) -> str:
    """The earliest second of a review: what started the run may carry the run's own."""
    return (datetime.strptime(created, _FORM).replace(tzinfo=UTC) + timedelta(seconds=1)).strftime(_FORM)


def _refusal(code: str, because: str) -> Refusal:
    return Refusal(code=code, because=because)
