"""GitLab's API as far as aces-ci calls it, with memory, on loopback.

Its own rules: the job token may read a merge request and may not write a note, a page has 20 notes unless
asked, a note has at most 1,000,000 characters, and a token is the user that `GET /user` names.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.server import Answer, LoopbackServer, Refused, Request, paged

NOTE_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user of the server, with the access level in the project (30 developer, 40 maintainer)."""

    id: int
    username: str
    level: int = 30
    bot: bool = False


BOT = Member(id=900, username="project_7_bot", bot=True)
PERSON = Member(id=1, username="mira-k")


@dataclass(slots=True)
class FakeGitLab:
    """State that tests may read and set."""

    project: str = "acme/agent-skills"
    project_id: int = 7
    tokens: dict[str, Member] = field(default_factory=lambda: {"glpat": BOT})
    job_tokens: set[str] = field(default_factory=lambda: {"job"})
    members: dict[int, Member] = field(default_factory=lambda: {BOT.id: BOT, PERSON.id: PERSON})
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    changes: dict[int, dict[str, Any]] = field(default_factory=dict)
    label_events: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    versions: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """At the top of the default branch's tip."""
    jobs: list[dict[str, Any]] = field(default_factory=list)
    """Finished jobs: id, project, pipeline, name, report."""
    server: LoopbackServer = field(default_factory=lambda: LoopbackServer(prefix="/api/v4"))
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(300))
    _ticks: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        server = self.server
        server.before = self._authenticate
        root = "/projects/{project}"
        change = root + "/merge_requests/{number}"
        for method, path, handler in (
            ("GET", "/user", self._user),
            ("GET", "/users/{user}", self._user_of),
            ("GET", root, self._project),
            ("GET", root + "/members/all/{member}", self._member),
            ("GET", root + "/repository/commits/{sha}/merge_requests", self._of_commit),
            ("GET", root + "/merge_requests", self._changes),
            ("GET", change, self._change),
            ("GET", change + "/notes", self._list),
            ("POST", change + "/notes", self._create),
            ("GET", change + "/notes/{note}", self._note),
            ("PUT", change + "/notes/{note}", self._edit),
            ("DELETE", change + "/notes/{note}", self._delete),
            ("GET", change + "/resource_label_events", self._labelled),
            ("GET", change + "/versions", self._versions),
            ("GET", root + "/repository/files/{name}", self._file),
            ("GET", root + "/pipelines/{pipeline}/jobs", self._jobs_of),
            ("GET", root + "/jobs/{job}/artifacts/aces-results/report.json", self._artifact),
        ):
            server.route(method, path, handler)

    @contextmanager
    def running(self) -> Iterator[FakeGitLab]:
        """Serve until the block ends."""
        with self.server.running():
            yield self

    @property
    def url(self) -> str:
        """The API's root, as CI_API_V4_URL."""
        return self.server.url

    # State for tests.

    def change(self, number: int, head: str, **more: Any) -> dict[str, Any]:
        """Open a merge request. `more`: state, labels, source_project_id, target_branch, draft."""
        self.changes[number] = {
            "id": 10_000 + number,
            "iid": number,
            "project_id": self.project_id,
            "target_project_id": self.project_id,
            "source_project_id": more.get("source_project_id", self.project_id),
            "state": more.get("state", "opened"),
            "draft": more.get("draft", False),
            "sha": head,
            "labels": list(more.get("labels", ())),
            "target_branch": more.get("target_branch", "main"),
            "source_branch": "patch-1",
            "web_url": f"https://gitlab.example/{self.project}/-/merge_requests/{number}",
        }
        return self.changes[number]

    def comment(self, number: int, body: str, by: Member = PERSON, *, system: bool = False) -> dict[str, Any]:
        """A note that is already there."""
        note = next(self._ids)
        at = self.now()
        self.notes[note] = {
            "id": note,
            "body": body,
            "system": system,
            "author": {"id": by.id, "username": by.username, "name": by.username, "state": "active"},
            "noteable_type": "MergeRequest",
            "noteable_iid": number,
            "created_at": at,
            "updated_at": at,
            "resolvable": False,
        }
        return self.notes[note]

    def finished(self, number: int, *, project: int, sha: str, job: str, report: bytes, **more: Any) -> None:
        """The head pipeline of a merge request ran in `project` and left a report."""
        pipeline = next(self._ids)
        self.changes[number]["head_pipeline"] = {
            "id": pipeline,
            "project_id": project,
            "sha": sha,
            "source": "merge_request_event",
            **more,
        }
        self.jobs.append(
            {"id": next(self._ids), "project": project, "pipeline": pipeline, "name": job, "report": report}
        )

    def now(self) -> str:
        """The server's clock: one second a call."""
        tick = next(self._ticks)
        return f"2026-11-29T12:{tick // 60:02d}:{tick % 60:02d}.000Z"

    def bodies(self, number: int) -> list[str]:
        """What people and we wrote, oldest first."""
        return [row["body"] for row in self.notes.values() if row["noteable_iid"] == number and not row["system"]]

    # Routes.

    def _authenticate(self, request: Request) -> None:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        private = request.headers.get("private-token") or bearer
        job = request.headers.get("job-token")
        if private:
            if private not in self.tokens:
                raise _refusal(401, "401 Unauthorized")
        elif job:
            if job not in self.job_tokens:
                raise _refusal(401, "401 Unauthorized")
            readable = "/merge_requests/" in request.path and request.method == "GET"
            if not readable:
                raise _refusal(403, "403 Forbidden")
        else:
            raise _refusal(401, "401 Unauthorized")

    def _who(self, request: Request) -> Member:
        private = request.headers.get("private-token") or request.headers.get("authorization", "")[7:]
        return self.tokens[private]

    def _user(self, request: Request) -> Answer:
        who = self._who(request)
        return Answer(body={"id": who.id, "username": who.username, "name": who.username, "bot": who.bot})

    def _user_of(self, request: Request, user: str) -> Answer:
        found = self.members.get(int(user))
        if found is None:
            raise _refusal(404, "404 User Not Found")
        return Answer(body={"id": found.id, "username": found.username, "name": found.username, "bot": found.bot})

    def _project(self, request: Request, project: str) -> Answer:
        self._ours(project)
        return Answer(body={"id": self.project_id, "path_with_namespace": self.project, "default_branch": "main"})

    def _member(self, request: Request, project: str, member: str) -> Answer:
        self._ours(project)
        found = self.members.get(int(member))
        if found is None:
            raise _refusal(404, "404 Not found")
        return Answer(body={"id": found.id, "username": found.username, "access_level": found.level})

    def _of_commit(self, request: Request, project: str, sha: str) -> Answer:
        self._ours(project)
        return self._page(request, [row for row in self.changes.values() if row["sha"] == sha])

    def _changes(self, request: Request, project: str) -> Answer:
        self._ours(project)
        state = request.query.get("state", "all")
        return self._page(request, [row for row in self.changes.values() if state in ("all", row["state"])])

    def _change(self, request: Request, project: str, number: str) -> Answer:
        return Answer(body=self._known(project, number))

    def _list(self, request: Request, project: str, number: str) -> Answer:
        self._known(project, number)
        rows = [row for row in self.notes.values() if row["noteable_iid"] == int(number)]
        return self._page(request, sorted(rows, key=lambda row: row["id"], reverse=request.query.get("sort") != "asc"))

    def _create(self, request: Request, project: str, number: str) -> Answer:
        self._known(project, number)
        self._fits(request)
        return Answer(status=201, body=self.comment(int(number), request.body["body"], self._who(request)))

    def _note(self, request: Request, project: str, number: str, note: str) -> Answer:
        self._known(project, number)
        return Answer(body=self._existing(note))

    def _edit(self, request: Request, project: str, number: str, note: str) -> Answer:
        self._known(project, number)
        row = self._own(request, note)
        self._fits(request)
        row.update(body=request.body["body"], updated_at=self.now())
        return Answer(body=row)

    def _delete(self, request: Request, project: str, number: str, note: str) -> Answer:
        self._known(project, number)
        self._own(request, note)
        del self.notes[int(note)]
        return Answer(status=204)

    def _labelled(self, request: Request, project: str, number: str) -> Answer:
        self._known(project, number)
        return self._page(request, self.label_events.get(int(number), []))

    def _versions(self, request: Request, project: str, number: str) -> Answer:
        self._known(project, number)
        return self._page(request, self.versions.get(int(number), []))

    def _file(self, request: Request, project: str, name: str) -> Answer:
        self._ours(project)
        data = self.files.get(name) if request.query.get("ref") in ("HEAD", "main") else None
        if data is None:
            raise _refusal(404, "404 File Not Found")
        content = base64.b64encode(data).decode()
        return Answer(body={"file_path": name, "size": len(data), "encoding": "base64", "content": content})

    def _jobs_of(self, request: Request, project: str, pipeline: str) -> Answer:
        rows = [
            {
                "id": row["id"],
                "name": row["name"],
                "status": "success",
                "web_url": f"https://gitlab.example/mira-k/agent-skills/-/jobs/{row['id']}",
            }
            for row in self.jobs
            if (str(row["project"]), str(row["pipeline"])) == (project, pipeline)
        ]
        return self._page(request, rows)

    def _artifact(self, request: Request, project: str, job: str) -> Answer:
        found = [row for row in self.jobs if (str(row["project"]), str(row["id"])) == (project, job)]
        if not found or found[0]["report"] is None:
            raise _refusal(404, "404 Not found")
        return Answer(body=found[0]["report"])

    def _page(self, request: Request, rows: list[Any]) -> Answer:
        answer = paged(request, rows, self.url, default=20)
        page, size = int(request.query.get("page", 1)), min(int(request.query.get("per_page", 20)), 100)
        more = page * size < len(rows)
        # A server behind a proxy names itself in Link by another address than the client's.
        foreign = {"Link": answer.headers["Link"].replace("127.0.0.1", "gitlab.invalid")} if answer.headers else {}
        return Answer(body=answer.body, headers={**foreign, "X-Next-Page": str(page + 1) if more else ""})

    def _known(self, project: str, number: str) -> dict[str, Any]:
        self._ours(project)
        if not number.isdigit() or int(number) not in self.changes:
            raise _refusal(404, "404 Not found")
        return self.changes[int(number)]

    def _ours(self, project: str) -> None:
        if project not in (self.project, str(self.project_id)):
            raise _refusal(404, "404 Project Not Found")

    def _existing(self, note: str) -> dict[str, Any]:
        if not note.isdigit() or int(note) not in self.notes:
            raise _refusal(404, "404 Not found")
        return self.notes[int(note)]

    def _own(self, request: Request, note: str) -> dict[str, Any]:
        row = self._existing(note)
        if row["author"]["id"] != self._who(request).id:
            raise _refusal(403, "403 Forbidden")
        return row

    @staticmethod
    def _fits(request: Request) -> None:
        body = request.body.get("body") if isinstance(request.body, dict) else None
        if not isinstance(body, str) or not body.strip():
            raise _refusal(400, "400 Bad request - Note can't be blank")
        if len(body) > NOTE_LIMIT:
            raise _refusal(400, {"note": [f"is too long (maximum is {NOTE_LIMIT} characters)"]})


def _refusal(status: int, message: Any) -> Refused:
    return Refused(Answer(status=status, body={"message": message}))
