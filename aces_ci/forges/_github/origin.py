"""Which run of which pull request an artifact comes from, as GitHub tells it (docs/trust.md rule 10).

The payload of `workflow_run` names a run; all else is read again by its id. On a fork the author edits
workflow, job names and artifact, and `pull_requests` is empty; what he cannot choose is the run's event,
its workflow's path, its head repository and its head commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.foreign import Origin
from aces_ci.core.foreign_json import nothing_to_post, refused
from aces_ci.core.report import Links
from aces_ci.forges._github.pulls import open_with_head
from aces_ci.shell.http import Api, HttpError

ARTIFACT_LIMIT = 20_000_000
"""Packed bytes."""


@dataclass(slots=True)
class WorkflowRuns:
    """Runs of the repository that the poster works in."""

    api: Api
    repo: str
    server_url: str

    def origin(self, run_id: int, workflow: str) -> Origin:
        """The pull request and the pages behind a run.

        Raises:
            UsageError: another event, another workflow, a run of another repository, a deleted head
            repository, or not exactly one open pull request with this head.
        """
        run = self._run(run_id)
        here = self.api.get(f"/repos/{self.repo}").data
        path = str(run.get("path") or "").partition("@")[0]
        if run.get("event") != "pull_request":
            raise refused("run_event", f"the run was started by {run.get('event')}, not by a pull request")
        if path != workflow:
            raise refused("run_workflow", f"the run is of workflow {path or '(none)'}, not of {workflow}")
        if (run.get("repository") or {}).get("id") != here["id"]:
            raise refused("run_repository", "the run belongs to another repository")
        head = run.get("head_repository")
        if not isinstance(head, dict):
            raise refused("run_head", "the head repository of the run was deleted")
        change = self._change(run, head, here["id"])
        page = f"{self.server_url}/{self.repo}/actions/runs/{run_id}"
        own = head["id"] == here["id"]
        event = Event(
            kind=EventKind.CHANGE_REQUEST,
            forge="github",
            repo=self.repo,
            head_sha=run["head_sha"],
            base_sha=change["base"]["sha"],
            base_ref=change["base"]["ref"],
            default_branch=here["default_branch"],
            change_request=change["number"],
            labels=frozenset(row["name"] for row in change["labels"]),
            trust=Trust.OWN if own else Trust.FORK,
            head_repo=head["full_name"],
            server_url=self.server_url,
            run_url=page,
            title="pull_request",
        )
        return Origin(event=event, links=Links(report=f"{page}#artifacts", log=page))

    def artifact(self, run_id: int, name: str) -> bytes:
        """The packed artifact of that name; of a run that was run again the newest, as GitHub's own client takes it.

        Raises:
            UsageError: there is none, or it is too large.
        """
        rows = self.api.get(f"/repos/{self.repo}/actions/runs/{run_id}/artifacts", per_page=100, name=name).data
        found = [row for row in rows["artifacts"] if row["name"] == name and not row["expired"]]
        if not found:
            raise nothing_to_post(
                "artifact_count",
                f"the run left no artifact called {name}, or it has expired",
                "look into that run's log; the job must upload aces-results/report.json under that name",
            )
        newest = max(found, key=lambda row: int(row["id"]))
        if newest["size_in_bytes"] > ARTIFACT_LIMIT:
            raise refused("artifact_size", f"the artifact is longer than {ARTIFACT_LIMIT} bytes")
        path = f"/repos/{self.repo}/actions/artifacts/{newest['id']}/zip"
        return self.api.download(path, limit=ARTIFACT_LIMIT)

    def _run(self, run_id: int) -> Any:
        try:
            return self.api.get(f"/repos/{self.repo}/actions/runs/{run_id}").data
        except HttpError as error:
            if error.status != 404:
                raise
            raise refused("run_missing", "there is no such run in this repository") from None

    def _change(self, run: Any, head: Any, here: int) -> Any:
        """The one open pull request whose head is this commit of this repository, by whichever branch."""
        found = [
            row
            for row in open_with_head(self.api, self.repo, run["head_sha"])
            if (row["head"]["repo"] or {}).get("id") == head["id"] and row["base"]["repo"]["id"] == here
        ]
        if len(found) != 1:
            raise _how_many(len(found))
        return found[0]


def _how_many(count: int) -> UsageError:
    if count:
        return refused("change_ambiguous", f"{count} open pull requests have this head; the run does not say which")
    return refused("change_missing", "no open pull request has this head: it was closed, or pushed to since")
