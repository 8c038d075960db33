"""GitHub's API as far as aces-ci calls it, with memory, on loopback.

It refuses what the published description does not: a body that is too long, a write without or with a
read-only token, another author's comment, a check run by something that is no app.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any

from tests.fakes.server import Answer, LoopbackServer, Refused, Request, paged

BODY_LIMIT = 65_536
NOW = "2026-11-29T12:{:02d}:{:02d}Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a token is, and what it may do."""

    login: str
    id: int
    app: bool = True
    """A workflow's or an app's token: no `GET /user`, but check runs."""
    writes: bool = True
    graphql: bool = True


BOT = Identity(login="github-actions[bot]", id=41898282)
READER = Identity(login="github-actions[bot]", id=41898282, writes=False)
HELPER = Identity(login="release-helper[bot]", id=777)
PERSON = Identity(login="mira-k", id=1001, app=False)


@dataclass(slots=True)
class FakeGitHub:
    """State that tests may read and set. `skeletons` are full objects of the description, by kind."""

    repo: str = "acme/agent-skills"
    repo_id: int = 500
    skeletons: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    tokens: dict[str, Identity] = field(default_factory=lambda: {"tok": BOT, "read-only": READER, "helper": HELPER})
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    permissions: dict[str, str] = field(default_factory=dict)
    events: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    artifacts: dict[int, list[tuple[str, bytes]]] = field(default_factory=dict)
    reviews: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """At the top of the default branch's tip: name to (mode, content)."""
    reactions: set[tuple[int, int]] = field(default_factory=set)
    unread_actions: bool = False
    """The token lacks `actions: read`."""
    public_url: str | None = None
    """How the server calls itself in links, where a proxy stands before it."""
    server: LoopbackServer = field(default_factory=LoopbackServer)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(9000))
    _ticks: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        server = self.server
        server.before = self._authenticate
        root = f"/repos/{self.repo}"
        for method, path, handler in (
            ("GET", "/user", self._user),
            ("GET", root, self._repository),
            ("POST", "/graphql", self._graphql),
            ("GET", root + "/issues/{number}", self._issue),
            ("GET", root + "/issues/{number}/comments", self._comments),
            ("POST", root + "/issues/{number}/comments", self._create),
            ("GET", root + "/issues/comments/{note}", self._comment),
            ("PATCH", root + "/issues/comments/{note}", self._edit),
            ("DELETE", root + "/issues/comments/{note}", self._delete),
            ("POST", root + "/issues/comments/{note}/reactions", self._react),
            ("GET", root + "/issues/{number}/events", self._events),
            ("DELETE", root + "/issues/{number}/labels/{label}", self._unlabel),
            ("GET", root + "/pulls", self._pulls),
            ("GET", root + "/pulls/{number}", self._pull),
            ("GET", root + "/git/trees/{ref}", self._tree),
            ("GET", root + "/git/blobs/{blob}", self._blob),
            ("GET", root + "/collaborators/{login}/permission", self._permission),
            ("POST", root + "/check-runs", self._create_check),
            ("PATCH", root + "/check-runs/{check}", self._edit_check),
            ("GET", root + "/actions/runs/{run}", self._run),
            ("GET", root + "/actions/runs/{run}/approvals", self._reviews),
            ("GET", root + "/actions/runs/{run}/artifacts", self._artifacts),
            ("GET", root + "/actions/artifacts/{artifact}/zip", self._zip),
            ("GET", "/storage/{artifact}", self._stored),
        ):
            server.route(method, path, handler)

    @contextmanager
    def running(self) -> Iterator[FakeGitHub]:
        """Serve until the block ends."""
        with self.server.running():
            yield self

    @property
    def url(self) -> str:
        """The REST root; GraphQL is at `/graphql` below it."""
        return self.server.url

    # State for tests.

    def pull(self, number: int, head: str, **more: Any) -> dict[str, Any]:
        """Open a pull request. `more`: state, base_ref, base_sha, head_repo (id, name or None), labels,
        draft."""
        base = {"id": self.repo_id, "full_name": self.repo}
        head_repo = more.get("head_repo", (self.repo_id, self.repo))
        row = {
            **deepcopy(self.skeletons.get("pull", {})),
            "number": number,
            "state": more.get("state", "open"),
            "draft": more.get("draft", False),
            "labels": [self._label(name) for name in more.get("labels", ())],
        }
        row["head"] = self._side("head", head, more.get("head_ref", "patch-1"), head_repo)
        row["base"] = self._side(
            "base",
            more.get("base_sha", "d" * 40),
            more.get("base_ref", "main"),
            (base["id"], base["full_name"]),
        )
        self.pulls[number] = row
        self.events.setdefault(number, [])
        return row

    def comment(self, number: int, body: str, by: Identity = PERSON) -> dict[str, Any]:
        """A comment that is already there."""
        note = next(self._ids)
        at = self.now()
        row = {
            **deepcopy(self.skeletons.get("comment", {})),
            "id": note,
            "node_id": f"IC_{note}",
            "body": body,
            "user": self._person(by.login, by.id, "Bot" if by.app else "User"),
            "issue_url": f"{self.url}/repos/{self.repo}/issues/{number}",
            "html_url": f"https://github.com/{self.repo}/pull/{number}#issuecomment-{note}",
            "url": f"{self.url}/repos/{self.repo}/issues/comments/{note}",
            "created_at": at,
            "updated_at": at,
            "author_association": "NONE",
        }
        row["_on"] = number
        self.comments[note] = row
        return row

    def run(self, run: int, event: str, head: str, **more: Any) -> dict[str, Any]:
        """A workflow run, made at the server's time."""
        at = self.now()
        row = {
            **deepcopy(self.skeletons.get("run", {})),
            "id": run,
            "event": event,
            "head_sha": head,
            "run_attempt": 1,
            "created_at": at,
            "run_started_at": at,
            **more,
        }
        self.runs[run] = row
        return row

    def review(
        self, run: int, environment: str, by: str, *, state: str = "approved", person: bool = True
    ) -> dict[str, Any]:
        """Somebody says yes or no on a run's page; like the real one it keeps no time, and outlives a re-run."""
        row = {
            "state": state,
            "comment": "looked at it",
            "environments": [
                {
                    "id": 161088068,
                    "node_id": "EN_1",
                    "name": environment,
                    "url": f"{self.url}/repos/{self.repo}/environments/{environment}",
                    "html_url": f"https://github.com/{self.repo}/deployments/activity_log",
                    "created_at": NOW.format(0, 0),
                    "updated_at": NOW.format(0, 0),
                }
            ],
            "user": self._person(by, 4242, "User" if person else "Bot"),
        }
        self.reviews.setdefault(run, []).append(row)
        return row

    def happened(self, number: int, event: str, by: str, *, person: bool = True, **more: Any) -> dict[str, Any]:
        """An entry of the pull request's event list, at the server's time."""
        row = {
            **deepcopy(self.skeletons.get("event", {})),
            "id": next(self._ids),
            "event": event,
            "created_at": self.now(),
            "actor": self._person(by, 4242, "User" if person else "Bot"),
            **more,
        }
        self.events.setdefault(number, []).append(row)
        return row

    def now(self) -> str:
        """The server's clock: one second a call."""
        tick = next(self._ticks)
        return NOW.format(tick // 60, tick % 60)

    def bodies(self, number: int) -> list[str]:
        """What stands under a pull request, oldest first."""
        return [row["body"] for row in self.comments.values() if row["_on"] == number]

    # Routes.

    def _authenticate(self, request: Request) -> None:
        given = request.headers.get("authorization", "")
        token = given.partition(" ")[2]
        if given and token not in self.tokens:
            raise _refusal(401, "Bad credentials")
        if request.method != "GET" and not given:
            raise _refusal(401, "Requires authentication")
        graphql = request.path == "/graphql"
        if given and request.method != "GET" and not graphql and not self.tokens[token].writes:
            raise _refusal(403, "Resource not accessible by integration")
        if graphql and not self.tokens[token].graphql:
            raise _refusal(403, "Resource not accessible by integration")

    def _who(self, request: Request) -> Identity:
        return self.tokens[request.headers["authorization"].partition(" ")[2]]

    def _user(self, request: Request) -> Answer:
        if "authorization" not in request.headers:
            raise _refusal(401, "Requires authentication")
        who = self._who(request)
        if who.app:
            raise _refusal(403, "Resource not accessible by integration")
        return Answer(body=self._person(who.login, who.id, "User"))

    def _repository(self, request: Request) -> Answer:
        return Answer(body=self._repo(self.repo_id, self.repo))

    def _issue(self, request: Request, number: str) -> Answer:
        pull = self._known(self.pulls, number)
        return Answer(
            body={
                **deepcopy(self.skeletons.get("issue", {})),
                "number": pull["number"],
                "state": pull["state"],
                "labels": pull["labels"],
                "comments": len(self.bodies(pull["number"])),
                "url": f"{self.url}/repos/{self.repo}/issues/{number}",
                "pull_request": {"url": f"{self.url}/repos/{self.repo}/pulls/{number}"},
            }
        )

    def _graphql(self, request: Request) -> Answer:
        ids = request.body["variables"]["ids"]
        login = self._who(request).login
        rows = {row["node_id"]: row for row in self.comments.values()}
        nodes = [
            {"databaseId": rows[key]["id"], "viewerDidAuthor": rows[key]["user"]["login"] == login}
            if key in rows
            else None
            for key in ids
        ]
        return Answer(body={"data": {"nodes": nodes}})

    def _comments(self, request: Request, number: str) -> Answer:
        rows = [_shown(row) for row in self.comments.values() if row["_on"] == int(number)]
        return paged(request, rows, self.public_url or self.url, default=30)

    def _comment(self, request: Request, note: str) -> Answer:
        return Answer(body=_shown(self._known(self.comments, note)))

    def _create(self, request: Request, number: str) -> Answer:
        self._known(self.pulls, number)
        self._fits(request)
        row = self.comment(int(number), request.body["body"], self._who(request))
        return Answer(status=201, body=_shown(row))

    def _edit(self, request: Request, note: str) -> Answer:
        row = self._own(request, note)
        self._fits(request)
        row.update(body=request.body["body"], updated_at=self.now())
        return Answer(body=_shown(row))

    def _delete(self, request: Request, note: str) -> Answer:
        self._own(request, note)
        del self.comments[int(note)]
        return Answer(status=204)

    def _own(self, request: Request, note: str) -> dict[str, Any]:
        row: dict[str, Any] = self._known(self.comments, note)
        if row["user"]["login"] != self._who(request).login:
            raise _refusal(403, "Must have admin rights to Repository.")
        return row

    @staticmethod
    def _fits(request: Request) -> None:
        body = request.body.get("body") if isinstance(request.body, dict) else None
        if not isinstance(body, str) or not body.strip():
            raise _refusal(422, "Validation Failed", "Body can't be blank")
        if len(body) > BODY_LIMIT:
            raise _refusal(422, "Validation Failed", f"Body is too long (maximum is {BODY_LIMIT} characters)")

    def _react(self, request: Request, note: str) -> Answer:
        self._known(self.comments, note)
        key = (int(note), self._who(request).id)
        status = 200 if key in self.reactions else 201
        self.reactions.add(key)
        who = self._who(request)
        return Answer(
            status=status,
            body={
                "id": key[0],
                "node_id": "RE_1",
                "content": request.body["content"],
                "created_at": NOW.format(0, 0),
                "user": self._person(who.login, who.id, "Bot"),
            },
        )

    def _events(self, request: Request, number: str) -> Answer:
        return paged(request, self.events.get(int(number), []), self.public_url or self.url, default=30)

    def _unlabel(self, request: Request, number: str, label: str) -> Answer:
        pull = self._known(self.pulls, number)
        kept = [row for row in pull["labels"] if row["name"] != label]
        if len(kept) == len(pull["labels"]):
            raise _refusal(404, "Label does not exist")
        pull["labels"] = kept
        return Answer(body=kept)

    def _pulls(self, request: Request) -> Answer:
        state, head = request.query.get("state", "open"), request.query.get("head")
        rows = [
            row
            for row in self.pulls.values()
            if state in ("all", row["state"]) and head in (None, row["head"]["label"])
        ]
        return paged(request, rows, self.public_url or self.url, default=30)

    def _pull(self, request: Request, number: str) -> Answer:
        return Answer(body=self._known(self.pulls, number))

    def _tree(self, request: Request, ref: str) -> Answer:
        if ref != "main":
            raise _refusal(404, "Not Found")
        rows = [
            {
                "path": name,
                "mode": mode,
                "type": "blob" if mode.startswith("1") else "tree",
                "sha": sha1(data).hexdigest(),
                "size": len(data),
                "url": f"{self.url}/repos/{self.repo}/git/blobs/{sha1(data).hexdigest()}",
            }
            for name, (mode, data) in self.files.items()
        ]
        return Answer(body={"sha": "d" * 40, "url": f"{self.url}/d", "truncated": False, "tree": rows})

    def _blob(self, request: Request, blob: str) -> Answer:
        data = next((data for _, data in self.files.values() if sha1(data).hexdigest() == blob), None)
        if data is None:
            raise _refusal(404, "Not Found")
        return Answer(
            body={
                "sha": blob,
                "node_id": "B_1",
                "size": len(data),
                "url": f"{self.url}/repos/{self.repo}/git/blobs/{blob}",
                "content": base64.encodebytes(data).decode(),
                "encoding": "base64",
            }
        )

    def _permission(self, request: Request, login: str) -> Answer:
        level = self.permissions.get(login, "read")
        return Answer(
            body={
                "permission": {"maintain": "write", "triage": "read"}.get(level, level),
                "role_name": level,
                "user": {**self._person(login, 4242, "User"), "role_name": level},
            }
        )

    def _create_check(self, request: Request) -> Answer:
        if not self._who(request).app:
            raise _refusal(403, "You must authenticate via a GitHub App.")
        self._checkable(request)
        number = next(self._ids)
        row = {
            **deepcopy(self.skeletons.get("check", {})),
            "id": number,
            "name": request.body["name"],
            "head_sha": request.body["head_sha"],
            "status": request.body["status"],
            "conclusion": request.body["conclusion"],
            "html_url": f"https://github.com/{self.repo}/runs/{number}",
        }
        self.checks[number] = {**row, "_annotations": list(request.body["output"].get("annotations", ()))}
        return Answer(status=201, body=row)

    def _edit_check(self, request: Request, check: str) -> Answer:
        row = self._known(self.checks, check)
        self._checkable(request)
        row["_annotations"].extend(request.body["output"].get("annotations", ()))
        return Answer(body=_shown(row))

    @staticmethod
    def _checkable(request: Request) -> None:
        output = request.body.get("output", {})
        if len(output.get("annotations", ())) > 50:
            raise _refusal(422, "Invalid request.", "No more than 50 items are allowed")
        if len(output.get("summary", "")) > 65_535:
            raise _refusal(422, "Invalid request.", "summary exceeds a maximum bytesize of 65535")
        if request.body.get("status") == "completed" and not request.body.get("conclusion"):
            raise _refusal(422, "Invalid request.", "conclusion is required")

    def _run(self, request: Request, run: str) -> Answer:
        if self.unread_actions:
            raise _refusal(403, "Resource not accessible by integration")
        return Answer(body=self._known(self.runs, run))

    def _reviews(self, request: Request, run: str) -> Answer:
        self._known(self.runs, run)
        if self.unread_actions:
            raise _refusal(403, "Resource not accessible by integration")
        return Answer(body=self.reviews.get(int(run), []))

    def _artifacts(self, request: Request, run: str) -> Answer:
        rows = [
            {
                **deepcopy(self.skeletons.get("artifact", {})),
                "id": int(run) * 100 + index,
                "name": name,
                "size_in_bytes": len(data),
                "expired": False,
                "archive_download_url": f"{self.url}/repos/{self.repo}/actions/artifacts/{int(run) * 100 + index}/zip",
                "workflow_run": {"id": int(run)},
            }
            for index, (name, data) in enumerate(self.artifacts.get(int(run), []))
        ]
        return Answer(body={"total_count": len(rows), "artifacts": rows})

    def _zip(self, request: Request, artifact: str) -> Answer:
        run, index = divmod(int(artifact), 100)
        rows = self.artifacts.get(run, [])
        if index >= len(rows):
            raise _refusal(404, "Not Found")
        return Answer(status=302, headers={"Location": f"{self.url}/storage/{artifact}"})

    def _stored(self, request: Request, artifact: str) -> Answer:
        """Where the real one sends its clients to another host; the same host here, because that one has https."""
        run, index = divmod(int(artifact), 100)
        return Answer(body=self.artifacts[run][index][1], headers={"Content-Type": "application/zip"})

    # Parts.

    def _side(self, side: str, sha: str, ref: str, repo: tuple[int, str] | None) -> dict[str, Any]:
        skeleton = deepcopy(self.skeletons.get("pull", {}).get(side, {}))
        row = None if repo is None else {**(skeleton.get("repo") or {}), "id": repo[0], "full_name": repo[1]}
        owner = "unknown" if repo is None else repo[1].partition("/")[0]
        return {**skeleton, "sha": sha, "ref": ref, "label": f"{owner}:{ref}", "repo": row}

    def _repo(self, number: int, name: str) -> dict[str, Any]:
        return {
            **deepcopy(self.skeletons.get("repository", {})),
            "id": number,
            "full_name": name,
            "name": name.partition("/")[2],
            "default_branch": "main",
            "url": f"{self.url}/repos/{name}",
        }

    def _person(self, login: str, number: int, kind: str) -> dict[str, Any]:
        return {**deepcopy(self.skeletons.get("user", {})), "login": login, "id": number, "type": kind}

    def _label(self, name: str) -> dict[str, Any]:
        return {
            "id": 1,
            "node_id": "LA_1",
            "url": f"{self.url}/repos/{self.repo}/labels/{name}",
            "name": name,
            "description": "",
            "color": "ededed",
            "default": False,
        }

    @staticmethod
    def _known(rows: Mapping[int, dict[str, Any]], key: str) -> dict[str, Any]:
        if not key.isdigit() or int(key) not in rows:
            raise _refusal(404, "Not Found")
        return rows[int(key)]


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not key.startswith("_")}


def _refusal(status: int, message: str, *details: str) -> Refused:
    body: dict[str, Any] = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }
    if details:
        body["errors"] = [
            {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": text} for text in details
        ]
    return Refused(Answer(status=status, body=body))
