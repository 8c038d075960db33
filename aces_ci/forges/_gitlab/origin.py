"""Which pipeline of which merge request an artifact comes from, as GitLab tells it: the twin of a
`workflow_run`.

A fork's pipeline runs in the fork, so the artifact is fetched from there; the merge request of *this*
project names its head pipeline, and pipeline, head commit and source project must agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.foreign import Origin
from aces_ci.core.foreign_json import nothing_to_post, refused
from aces_ci.core.report import Links
from aces_ci.forges._gitlab.notes import MergeRequestNotes
from aces_ci.shell.http import Api, Forbidden, HttpError

ARTIFACT_LIMIT = 4_000_001


def open_from_forks(api: Api, project: str) -> tuple[int, ...]:
    """Numbers of the open merge requests into `project` whose source is another project that is still there."""
    rows = api.pages(f"/projects/{project}/merge_requests", state="opened")
    return tuple(row["iid"] for row in rows if row["source_project_id"] not in (None, row["target_project_id"]))


@dataclass(slots=True)
class HeadPipelines:
    """The pipelines of a project's merge requests."""

    api: Api
    notes: MergeRequestNotes
    repo: str
    server_url: str
    default_branch: str | None

    def origin(self, job_name: str) -> tuple[Origin, bytes]:
        """The merge request's event, and `aces-results/report.json` of its head pipeline's job of that name.

        Raises:
            UsageError: not open, no head pipeline of this very head in the source project, no such job, no
            artifact.
        """
        number = self.notes.number
        change = self.api.get(f"/projects/{self.notes.project}/merge_requests/{number}").data
        if change["state"] != "opened":
            raise refused("change_missing", "the merge request is not open")
        pipeline = change.get("head_pipeline") or {}
        source = change.get("source_project_id")
        if source is None:
            raise refused("run_head", "the source project of the merge request was deleted")
        if pipeline.get("source") != "merge_request_event":
            raise refused("run_event", "the head pipeline is not one of a merge request")
        if pipeline.get("sha") != change["sha"]:
            raise refused("run_commit", "the head pipeline is of another commit than the head")
        if pipeline.get("project_id") not in (source, change["target_project_id"]):
            raise refused("run_repository", "the head pipeline belongs to a third project")
        where = f"/projects/{pipeline['project_id']}"
        jobs = [row for row in self.api.pages(f"{where}/pipelines/{pipeline['id']}/jobs") if row["name"] == job_name]
        if len(jobs) != 1:
            raise refused("run_workflow", f"the head pipeline has {len(jobs)} jobs called {job_name}, not one")
        event = Event(
            kind=EventKind.CHANGE_REQUEST,
            forge="gitlab",
            repo=self.repo,
            head_sha=change["sha"],
            base_ref=change["target_branch"],
            default_branch=self.default_branch,
            change_request=number,
            labels=frozenset(change["labels"]),
            trust=Trust.OWN if source == change["target_project_id"] else Trust.FORK,
            server_url=self.server_url,
            run_url=jobs[0]["web_url"],
            title="merge_request_event",
        )
        path = f"{where}/jobs/{jobs[0]['id']}/artifacts/{quote('aces-results/report.json')}"
        try:
            data = self.api.download(path, limit=ARTIFACT_LIMIT)
        except (HttpError, Forbidden):
            raise nothing_to_post(
                "artifact_count",
                f"the job {job_name} left no aces-results/report.json, or it has expired",
                "look into that job's log, and run it again",
            ) from None
        page = jobs[0]["web_url"]
        return Origin(event=event, links=Links(report=f"{page}/artifacts/browse", log=page)), data
