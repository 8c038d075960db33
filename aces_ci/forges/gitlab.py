"""GitLab CI and its merge requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.event import Event
from aces_ci.core.foreign import Origin
from aces_ci.core.foreign_json import nothing_to_post
from aces_ci.core.slash import Purpose
from aces_ci.forges._gitlab.approvals import Approvals, asked
from aces_ci.forges._gitlab.event import read_event
from aces_ci.forges._gitlab.notes import MergeRequestNotes
from aces_ci.forges._gitlab.origin import HeadPipelines, open_from_forks
from aces_ci.forges._gitlab.policy import policy_at_tip
from aces_ci.forges._links import PageLinks
from aces_ci.forges._sticky import post
from aces_ci.ports.forge import ForgeOptions, Links, Posted, Publication
from aces_ci.shell.http import Api, Forbidden, HttpError
from aces_ci.shell.log import Log

TOKEN = "ACES_GITLAB_TOKEN"
_NO_TOKEN = (
    f"no note: GitLab's job token may not write one, and {TOKEN} is not set. Widgets and reports are "
    f"complete. For the note add a project access token (api) as masked variable {TOKEN}"
)


class GitLab:
    """Two tokens: ours (`ACES_GITLAB_TOKEN`) may write notes, the job's may only read the merge request."""

    name = "gitlab"

    def __init__(self, env: Mapping[str, str], log: Log, options: ForgeOptions | None = None) -> None:
        self._env = env
        self._log = log
        self._options = options or ForgeOptions()
        self._token = self._options.token or env.get(TOKEN) or None

    @staticmethod
    def applies(env: Mapping[str, str]) -> bool:
        """True below a GitLab runner."""
        return env.get("GITLAB_CI") == "true"

    @staticmethod
    def links(server_url: str) -> Links:
        """Links into gitlab.com or a server of one's own."""
        return PageLinks(server_url or "https://gitlab.com", infix="/-", last_prefix="")

    def event(self, repo_dir: Path) -> Event:
        """What happened, from the variables; labels as they are now."""
        return read_event(self._env, self._labels())

    def publish(self, event: Event, publication: Publication) -> Posted:
        """Annotations as log lines (the code quality report has them in the diff), then the note."""
        for note in publication.annotations:
            self._log.annotate(note.level, note.message, file=note.path, line=str(note.line), title=note.title)
        if event.change_request is None:
            return Posted(comment="none")
        if self._token is None:
            return Posted(comment="refused", notices=(_NO_TOKEN,))
        return post(self.notes(event.repo, event.change_request), publication)

    def approval(self, event: Event, purpose: Purpose, key: str, *, use: bool = True) -> Approval | Refusal | None:
        """Live: the person who pressed the manual job. Accept: the label, set after our note on this head."""
        if event.change_request is None or not asked(event, purpose, self._env):
            return None
        if self._token is None:
            return Refusal(code="no_token", because=f"Approvals are read with {TOKEN}, which is not set; add it.")
        return self._approvals(event).given(event, purpose, key, self._env)

    def recheck(self, event: Event, approval: Approval) -> Refusal | None:
        """The merge request as it is now, against what was approved."""
        return self._approvals(event).recheck(approval)

    def policy(self) -> bytes | None:
        """`aces.yml` of the default branch of the project whose job this is, by the API."""
        return policy_at_tip(self.api(), quote(self._env.get("CI_PROJECT_ID", ""), safe=""))

    def followed(self) -> Sequence[int | None]:
        """No event of this project tells of a fork's pipeline, so all open merge requests of forks are asked."""
        return open_from_forks(self.api(), quote(self._env.get("CI_PROJECT_ID", ""), safe=""))

    def foreign(self, source: str, artifact: str, change: int | None) -> tuple[Origin, bytes]:
        """The report of the head pipeline of a merge request of this project."""
        if change is None:
            raise nothing_to_post(
                "change_missing", "no merge request was named", "use --change N, or name a report.json"
            )
        repo, server = self._env.get("CI_PROJECT_PATH", ""), self._env.get("CI_SERVER_URL", "").rstrip("/")
        notes = MergeRequestNotes(self.api(), self._env.get("CI_PROJECT_ID", ""), change)
        return HeadPipelines(self.api(), notes, repo, server, self._env.get("CI_DEFAULT_BRANCH")).origin(source)

    def _approvals(self, event: Event) -> Approvals:
        return Approvals(self.api(), self.notes(event.repo, event.change_request or 0))

    def notes(self, repo: str, number: int) -> MergeRequestNotes:
        """The notes of one merge request."""
        server = self._env.get("CI_SERVER_URL", "").rstrip("/")
        page = f"{server}/{quote(repo, safe='/')}/-/merge_requests/{number}" if server else None
        # A fork's pipeline runs in the fork, whose own id is CI_PROJECT_ID: the note belongs to the target.
        project = self._env.get("CI_MERGE_REQUEST_PROJECT_ID") or quote(repo, safe="")
        return MergeRequestNotes(self.api(), project, number, page)

    def api(self) -> Api:
        """A client of the REST API with the best token there is."""
        url = self._options.api_url or self._env.get("CI_API_V4_URL") or "https://gitlab.com/api/v4"
        job = self._env.get("CI_JOB_TOKEN")
        if self._token:
            headers = {"PRIVATE-TOKEN": self._token}
        else:
            headers = {"JOB-TOKEN": job} if job else {}
        return Api(url.rstrip("/"), {"Accept": "application/json", **headers}, self._options.redactor)

    def _labels(self) -> frozenset[str] | None:
        """The merge request's labels now; None where they cannot be asked for."""
        number = self._env.get("CI_MERGE_REQUEST_IID")
        project = self._env.get("CI_MERGE_REQUEST_PROJECT_ID")
        if not (number and project and (self._token or self._env.get("CI_JOB_TOKEN"))):
            return None
        try:
            path = f"/projects/{quote(project, safe='')}/merge_requests/{quote(number)}"
            rows = self.api().get(path).data["labels"]
        except (Forbidden, HttpError) as error:
            self._log.line(f"labels are those of the pipeline's start: {error.message}")
            return None
        return frozenset(row for row in rows if isinstance(row, str))


FORGE = GitLab
