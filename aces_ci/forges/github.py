"""GitHub Actions and its pull requests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aces_ci.core.approval import Approval, Refusal
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event
from aces_ci.core.foreign import Origin
from aces_ci.core.foreign_json import BYTES, nothing_to_post
from aces_ci.core.slash import Purpose
from aces_ci.forges._github.approvals import Approvals
from aces_ci.forges._github.checks import write_check
from aces_ci.forges._github.commands import at_most
from aces_ci.forges._github.comments import Comments
from aces_ci.forges._github.event import read_event
from aces_ci.forges._github.files import write_outputs, write_summary
from aces_ci.forges._github.origin import WorkflowRuns
from aces_ci.forges._github.policy import policy_at_tip
from aces_ci.forges._github.reviews import Reviews
from aces_ci.forges._links import PageLinks
from aces_ci.forges._payload import Payload
from aces_ci.forges._sticky import post
from aces_ci.ports.forge import ForgeOptions, Links, Posted, Publication
from aces_ci.shell.files import read_bounded
from aces_ci.shell.http import Api, Forbidden
from aces_ci.shell.log import Log
from aces_ci.shell.unzip import one_file

EVENT_LIMIT = 25_000_000
"""Bytes of an event file: GitHub caps payloads at 25 MB."""
_TOKENS = ("INPUT_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")


class GitHub:
    """The token comes from `options`, else the environment; without one nothing is posted, and that is
    said."""

    name = "github"

    def __init__(self, env: Mapping[str, str], log: Log, options: ForgeOptions | None = None) -> None:
        self._env = env
        self._log = log
        self._options = options or ForgeOptions()
        self._token = self._options.token or next((env[name] for name in _TOKENS if env.get(name)), None)

    @staticmethod
    def applies(env: Mapping[str, str]) -> bool:
        """True below a GitHub runner."""
        return env.get("GITHUB_ACTIONS") == "true"

    @staticmethod
    def links(server_url: str) -> Links:
        """Links into github.com or an enterprise server."""
        return PageLinks(server_url or "https://github.com")

    def event(self, repo_dir: Path) -> Event:
        """What happened, from the event file; one API read where the payload has no head
        (`issue_comment`)."""
        return read_event(self._env, self.payload(), self.change)

    def payload(self) -> Payload:
        """The event file. Raises UsageError where there is none, or it is no JSON object."""
        path = self._env.get("GITHUB_EVENT_PATH", "")
        try:
            data = json.loads(read_bounded(path, limit=EVENT_LIMIT)) if path else None
        except (FileNotFoundError, ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise UsageError(
                "cannot read the event file",
                code="event_file",
                at=path or "GITHUB_EVENT_PATH is not set",
                path=path or None,
                why="GITHUB_ACTIONS is true, so the runner should have written one",
                do="outside CI unset GITHUB_ACTIONS, or use `aces-ci check`",
            )
        return Payload(data, path)

    def change(self, number: int) -> Payload:
        """One pull request as the API tells it now. Raises UsageError where the token may not read it."""
        path = f"/repos/{self._env.get('GITHUB_REPOSITORY', '')}/pulls/{number}"
        try:
            return Payload(self.api().get(path).data, path)
        except Forbidden as error:
            raise UsageError(
                f"the token may not read pull request {number}",
                code="event_rights",
                why=f"a comment's event does not say which commit it stands under, and GitHub said: {error.said}",
                do="give the job `pull-requests: read`",
            ) from None

    def publish(self, event: Event, publication: Publication) -> Posted:
        """Annotations, outputs and summary first: they need no token. Then the comment and the check run."""
        self._annotate(publication)
        if target := self._env.get("GITHUB_OUTPUT"):
            write_outputs(target, publication.outputs)
        if target := self._env.get("GITHUB_STEP_SUMMARY"):
            write_summary(target, publication.summary)
        if self._token is None:
            why = "no comment: there is no token (GITHUB_TOKEN, or the input github_token)"
            return Posted(comment="refused" if event.change_request else "none", notices=(why,))
        if event.change_request is None:
            posted = Posted(comment="none")
        else:
            posted = post(self.comments(event.repo, event.change_request), publication)
        return self._check(event, publication, posted) if publication.check_run else posted

    def approval(self, event: Event, purpose: Purpose, key: str, *, use: bool = True) -> Approval | Refusal | None:
        """By the review of an environment where this job waited for one, else by slash command or label."""
        if event.change_request is None:
            return None
        return self._approvals(event).given(event, purpose, key, self._attempt, use=use)

    def recheck(self, event: Event, approval: Approval) -> Refusal | None:
        """The pull request as it is now, against what was approved."""
        return self._approvals(event).recheck(approval, self._attempt)

    def policy(self) -> bytes | None:
        """`aces.yml` of the default branch, by the API."""
        return policy_at_tip(self.api(), self._env.get("GITHUB_REPOSITORY", ""))

    def followed(self) -> Sequence[int | None]:
        """The one behind the `workflow_run` event."""
        return (None,)

    def foreign(self, source: str, artifact: str, change: int | None) -> tuple[Origin, bytes]:
        """The report of the run that the `workflow_run` event names."""
        if self._env.get("GITHUB_EVENT_NAME") != "workflow_run":
            raise nothing_to_post(
                "run_event",
                "this job was not started by workflow_run, so no other job's report belongs to it",
                "start it on workflow_run as examples/github/forks-post.yml does, or name a report.json",
            )
        runs = WorkflowRuns(self.api(), self._env.get("GITHUB_REPOSITORY", ""), self._server)
        number = self.payload().number("workflow_run.id")
        try:
            origin = runs.origin(number, source)
            return origin, one_file(runs.artifact(number, artifact), "report.json", limit=BYTES)
        except Forbidden as error:
            raise nothing_to_post(
                "post_rights",
                f"the token may not read the run or its artifact: {error.said}",
                "give the job `actions: read` and `pull-requests: write`",
            ) from None

    def _approvals(self, event: Event) -> Approvals:
        return Approvals(self.api(), self.comments(event.repo, event.change_request or 0), self._reviews(event))

    def _reviews(self, event: Event) -> Reviews | None:
        if not self._options.environment:
            return None
        return Reviews(
            api=self.api(),
            repo=event.repo,
            run=self._env.get("GITHUB_RUN_ID", ""),
            environment=self._options.environment,
            sha=self._env.get("GITHUB_SHA", ""),
        )

    def comments(self, repo: str, number: int) -> Comments:
        """The comments of one pull request."""
        return Comments(self.api(), self._graphql(), repo, number)

    def api(self) -> Api:
        """A client of the REST API with our token."""
        return Api(self._api_url(), self._headers(), self._options.redactor)

    def _graphql(self) -> Api:
        url = self._env.get("GITHUB_GRAPHQL_URL", "") if not self._options.api_url else ""
        # Enterprise: /api/v3 and /api/graphql; github.com: / and /graphql.
        url = url or self._api_url().removesuffix("/v3") + "/graphql"
        return Api(url, self._headers(), self._options.redactor)

    @property
    def _attempt(self) -> int:
        """A shard that is run again finds the planning job's approval of the first attempt in its environment."""
        return int(self._env.get("GITHUB_RUN_ATTEMPT") or 1)

    @property
    def _server(self) -> str:
        return self._env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")

    def _api_url(self) -> str:
        url = self._options.api_url or self._env.get("GITHUB_API_URL") or "https://api.github.com"
        return url.rstrip("/")

    def _headers(self) -> dict[str, str]:
        shared = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return {**shared, "Authorization": f"Bearer {self._token}"} if self._token else shared

    def _annotate(self, publication: Publication) -> None:
        for note in at_most(publication.annotations):
            self._log.annotate(
                note.level,
                note.message,
                file=note.path,
                line=str(note.line),
                endLine=str(max(note.line, note.end_line)),
                title=note.title,
            )

    def _check(self, event: Event, publication: Publication, posted: Posted) -> Posted:
        try:
            write_check(self.api(), event.repo, f"aces-ci/{publication.key}", publication)
        except Forbidden as error:
            told = f"no check run: the token may not write one ({error.said or error.status})"
            return replace(posted, notices=(*posted.notices, told))
        return posted


FORGE = GitHub
