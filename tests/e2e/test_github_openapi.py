"""Our client's traffic and our fake's replies against GitHub's published description: in process, and through prism."""

from __future__ import annotations

import io
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from aces_ci.core.approval import Approval
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.slash import Purpose
from aces_ci.forges.github import GitHub
from aces_ci.ports.forge import ForgeOptions
from aces_ci.shell.log import Log
from tests.contracts.forge_rigs import HEAD, NUMBER, body, note, publication
from tests.e2e.openapi import Checker, example, subset
from tests.fakes.github import BOT, FakeGitHub
from tests.fakes.server import Answer, Exchange, Request
from tests.forges.fork_scene import RUN, WORKFLOW, packed

pytestmark = pytest.mark.e2e


def full(**more: Any) -> FakeGitHub:
    """A fake whose objects have every field that the description asks for."""
    return FakeGitHub(
        skeletons={
            "user": example("simple-user"),
            "comment": example("issue-comment"),
            # The description's own example has a team without its `type`, which the description asks for.
            "pull": {**example("pull-request"), "requested_teams": []},
            "check": example("check-run"),
            "event": example("issue-event-for-issue-items")[0],
            "repository": {**example("full-repository"), "has_discussions": True},
            "issue": example("issue"),
            "artifact": example("artifact"),
            "run": example("workflow-run"),
        },
        **more,
    )


def forge(
    fake: FakeGitHub, api_url: str, tmp: Path, name: str = "pull_request", environment: str | None = None
) -> GitHub:
    """A client that reaches REST at `api_url`; GraphQL, which has no such description, at the fake."""
    path = tmp / "event.json"
    path.write_text(json.dumps({"workflow_run": {"id": RUN}}))
    env = {
        "GITHUB_REPOSITORY": fake.repo,
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_API_URL": api_url,
        "GITHUB_GRAPHQL_URL": f"{fake.url}/graphql",
    }
    if environment:
        env["GITHUB_RUN_ID"] = str(RUN)
    return GitHub(env, Log(io.StringIO()), ForgeOptions(token="tok", environment=environment))


def everything(fake: FakeGitHub, api_url: str, tmp: Path) -> None:
    """Every call that aces-ci makes: comments made, edited, deleted, checks, approvals."""
    event = Event(
        kind=EventKind.CHANGE_REQUEST,
        forge="github",
        repo=fake.repo,
        head_sha=HEAD,
        base_ref="main",
        change_request=NUMBER,
        labels=frozenset({"aces:live"}),
        trust=Trust.FORK,
    )
    fake.pull(NUMBER, HEAD, labels=["aces:live"])
    fake.permissions["ana"] = "maintain"
    for number in range(35):
        fake.comment(NUMBER, f"talk {number}")
    client = forge(fake, api_url, tmp)
    notes = [note("error", number) for number in range(1, 121)]
    assert client.publish(event, publication(annotations=notes, check_run=True)).comment == "created"
    fake.comment(NUMBER, body("twice"), BOT)
    assert client.publish(event, publication("two", annotations=notes, check_run=True)).comment == "edited"
    fake.happened(NUMBER, "labeled", "ana", label={"name": "aces:live", "color": "ededed"})
    assert client.approval(event, Purpose.LIVE, "default") is not None
    command = fake.comment(NUMBER, f"/aces live {HEAD}")["id"]
    asked = Event(**{**{name: getattr(event, name) for name in event.__slots__}, "comment": command})
    client.approval(asked, Purpose.LIVE, "default")
    fake.run(RUN, "pull_request_target", HEAD)
    fake.review(RUN, "aces-live", "ana")
    waited = forge(fake, api_url, tmp, "pull_request_target", "aces-live")
    assert isinstance(waited.approval(event, Purpose.LIVE, "default"), Approval)


def posting(fake: FakeGitHub, api_url: str, tmp: Path) -> None:
    """The trusted poster's reads, after `everything`."""
    run = {**example("workflow-run"), "id": RUN, "event": "pull_request", "path": WORKFLOW, "head_sha": HEAD}
    pull = fake.pulls[NUMBER]
    run.update(
        head_branch="patch-1", head_repository={**run["head_repository"], "id": fake.repo_id, "full_name": fake.repo}
    )
    run["repository"] = {**run["repository"], "id": fake.repo_id, "full_name": fake.repo}
    fake.runs[RUN] = run
    fake.artifacts[RUN] = [("aces-results", packed({"report.json": b"{}"}))]
    assert pull["head"]["sha"] == HEAD
    origin, data = forge(fake, api_url, tmp, "workflow_run").foreign(WORKFLOW, "aces-results", None)
    assert (origin.event.change_request, data) == (NUMBER, b"{}")
    fake.files["aces.yml"] = ("100644", b"version: 1\n")
    assert forge(fake, api_url, tmp, "workflow_run").policy() == b"version: 1\n"


def test_every_request_and_reply_is_as_github_describes_it(tmp_path: Path) -> None:
    with full().running() as fake:
        everything(fake, fake.url, tmp_path)
        posting(fake, fake.url, tmp_path)
        exchanges = list(fake.server.exchanges)
    assert len({(item.request.method, item.request.path.count("/")) for item in exchanges}) > 8
    assert "\n".join(sorted(set(Checker().problems(exchanges)))) == ""


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("POST", "/repos/o/r/issues/1/comments", {}, 201),
        ("POST", "/repos/o/r/issues/1/comments", {"body": 7}, 201),
        ("POST", "/repos/o/r/check-runs", {"name": "x"}, 201),
        ("PATCH", "/repos/o/r/check-runs/1", {"output": {"summary": "x" * 70_000}}, 200),
        (
            "PATCH",
            "/repos/o/r/check-runs/1",
            {
                "output": {
                    "summary": "",
                    "annotations": [
                        {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "error", "message": "m"}
                    ],
                }
            },
            200,
        ),
        ("GET", "/repos/o/r/nothing", None, 200),
        ("GET", "/repos/o/r/issues/1/comments", None, 202),
    ],
)
def test_the_checker_sees_what_is_wrong(method: str, path: str, sent: object, status: int) -> None:
    request = Request(method=method, path=path, query={}, headers={}, body=sent)
    assert list(Checker().problems([Exchange(request=request, answer=Answer(status=status, body=None))]))


def test_the_checker_sees_an_incomplete_reply() -> None:
    request = Request(method="GET", path="/repos/o/r/issues/comments/1", query={}, headers={}, body=None)
    assert list(Checker().problems([Exchange(request=request, answer=Answer(body={"id": 1}))]))


@contextmanager
def prism(document: Path, upstream: str) -> Iterator[str]:
    """prism as a proxy that refuses whatever is not as described."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = Path(__file__).parent / "node_modules/@stoplight/prism-cli/dist/index.js"
    command = ["node", str(program), "proxy", "--errors", "-h", "127.0.0.1", "-p", str(port), str(document), upstream]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(240):
                try:
                    requests.get(url + "/user", timeout=5)
                    break
                except requests.ConnectionError:
                    assert process.poll() is None, process.stdout and process.stdout.read()
                    time.sleep(0.25)
            yield url
        finally:
            process.kill()


def test_the_same_through_prism_as_a_proxy(tmp_path: Path) -> None:
    document = tmp_path / "github.json"
    document.write_text(json.dumps(subset()))
    with full().running() as fake, prism(document, fake.url) as url:
        # A page's `Link` must name the address that the client knows.
        fake.public_url = url
        everything(fake, url, tmp_path)
        broken = requests.post(
            f"{url}/repos/{fake.repo}/issues/{NUMBER}/comments",
            json={"text": "no body"},
            headers={"Authorization": "Bearer tok"},
            timeout=30,
        )
    assert broken.status_code == 422
