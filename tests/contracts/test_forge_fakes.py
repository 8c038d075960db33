"""The fakes against clients that others wrote, and every refusal of theirs against a client of ours gone wrong."""

from __future__ import annotations

from collections.abc import Iterator

import github
import gitlab
import gitlab.exceptions
import pytest
from github import Auth, Github, GithubException

from aces_ci.forges._github.checks import write_check
from aces_ci.forges._github.comments import Comments
from aces_ci.forges._gitlab.notes import MergeRequestNotes
from aces_ci.shell.http import Api, Forbidden, HttpError
from tests.contracts.forge_rigs import HEAD, NUMBER, body, note, publication
from tests.fakes.github import BODY_LIMIT, HELPER, FakeGitHub, Identity
from tests.fakes.gitlab import NOTE_LIMIT, FakeGitLab


@pytest.fixture
def hub() -> Iterator[FakeGitHub]:
    with FakeGitHub().running() as made:
        made.pull(NUMBER, HEAD)
        yield made


@pytest.fixture
def lab() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        made.change(NUMBER, HEAD, labels=["bug"])
        yield made


def pygithub(fake: FakeGitHub, token: str = "tok") -> github.Repository.Repository:
    client = Github(
        auth=Auth.Token(token), base_url=fake.url, retry=None, seconds_between_requests=0, seconds_between_writes=0
    )
    return client.get_repo(fake.repo)


def test_pygithub_reads_what_we_wrote_and_we_find_what_it_wrote(hub: FakeGitHub) -> None:
    ours = Comments(api(hub.url), api(hub.url + "/graphql"), hub.repo, NUMBER)
    note_ = ours.create(body("one"))
    pull = pygithub(hub).get_pull(NUMBER)
    assert pull.head.sha == HEAD
    issue = pygithub(hub).get_issue(NUMBER)
    assert [row.body for row in issue.get_comments()] == [body("one")]
    theirs = issue.create_comment(body("two"))
    assert [(row.id, row.mine) for row in ours.marked("default")] == [(note_.id, True), (theirs.id, True)]
    theirs.edit(body("three"))
    assert ours.marked("default")[1].body == body("three")
    theirs.delete()
    assert len(ours.marked("default")) == 1


def test_pygithub_walks_the_same_pages(hub: FakeGitHub) -> None:
    for number in range(135):
        hub.comment(NUMBER, f"talk {number}")
    found = [row.body for row in pygithub(hub).get_issue(NUMBER).get_comments()]
    assert found == [f"talk {number}" for number in range(135)]


def test_pygithub_sees_checks_permissions_labels_and_events(hub: FakeGitHub) -> None:
    hub.permissions["ana"] = "write"
    hub.pulls[NUMBER]["labels"] = [{"name": "aces:live"}]
    hub.happened(NUMBER, "labeled", "ana", label={"name": "aces:live", "color": "ededed"})
    repo = pygithub(hub)
    assert repo.get_collaborator_permission("ana") == "write"
    assert [row.event for row in repo.get_issue(NUMBER).get_events()] == ["labeled"]
    repo.get_issue(NUMBER).remove_from_labels("aces:live")
    assert hub.pulls[NUMBER]["labels"] == []
    made = repo.create_check_run(
        "x", HEAD, status="completed", conclusion="success", output={"title": "t", "summary": "s"}
    )
    assert hub.checks[made.id]["conclusion"] == "success"


@pytest.mark.parametrize(
    ("token", "text", "status"),
    [("tok", "x" * (BODY_LIMIT + 1), 422), ("tok", "  ", 422), ("read-only", "x", 403), ("unknown", "x", 401)],
)
def test_the_fake_hub_refuses_pygithub_too(hub: FakeGitHub, token: str, text: str, status: int) -> None:
    issue = pygithub(hub).get_issue(NUMBER)
    path = f"{hub.url}/repos/{hub.repo}/issues/{NUMBER}/comments"
    with pytest.raises(GithubException) as caught:
        if token == "tok":
            issue.create_comment(text)
        else:
            Github(auth=Auth.Token(token), base_url=hub.url, retry=None).requester.requestJsonAndCheck(
                "POST", path, input={"body": text}
            )
    assert caught.value.status == status
    assert hub.bodies(NUMBER) == []


def test_a_body_of_exactly_the_limit_is_taken(hub: FakeGitHub) -> None:
    pygithub(hub).get_issue(NUMBER).create_comment("é" * BODY_LIMIT)
    assert len(hub.bodies(NUMBER)) == 1


def test_python_gitlab_reads_what_we_wrote_and_we_find_what_it_wrote(lab: FakeGitLab) -> None:
    root = lab.url.removesuffix("/api/v4")
    change = gitlab.Gitlab(root, private_token="glpat").projects.get(lab.project).mergerequests.get(NUMBER)
    ours = MergeRequestNotes(Api(lab.url, {"PRIVATE-TOKEN": "glpat"}), "7", NUMBER)
    note_ = ours.create(body("one"))
    assert [row.body for row in change.notes.list(get_all=True)] == [body("one")]
    theirs = change.notes.create({"body": body("two")})
    assert [(row.id, row.mine) for row in ours.marked("default")] == [(note_.id, True), (theirs.id, True)]
    theirs.body = body("three")
    theirs.save()
    assert ours.marked("default")[1].body == body("three")
    theirs.delete()
    assert len(ours.marked("default")) == 1


def test_python_gitlab_walks_the_same_pages(lab: FakeGitLab) -> None:
    for number in range(45):
        lab.comment(NUMBER, f"talk {number}")
    root = lab.url.removesuffix("/api/v4")
    change = gitlab.Gitlab(root, private_token="glpat", keep_base_url=True).projects.get(7).mergerequests.get(NUMBER)
    found = [row.body for row in change.notes.list(iterator=True, sort="asc")]
    assert found == [f"talk {number}" for number in range(45)]


def test_the_fake_lab_refuses_python_gitlab_too(lab: FakeGitLab) -> None:
    root = lab.url.removesuffix("/api/v4")
    owner = gitlab.Gitlab(root, private_token="glpat").projects.get(7, lazy=True).mergerequests.get(NUMBER)
    job = gitlab.Gitlab(root, job_token="job").projects.get(7, lazy=True).mergerequests.get(NUMBER)
    assert job.labels == ["bug"]
    foreign = lab.comment(NUMBER, "hers")
    for refused in (
        lambda: owner.notes.create({"body": "x" * (NOTE_LIMIT + 1)}),
        lambda: owner.notes.create({"body": " "}),
        lambda: job.notes.create({"body": "x"}),
        lambda: owner.notes.update(foreign["id"], {"body": "mine now"}),
        lambda: owner.notes.delete(foreign["id"]),
    ):
        with pytest.raises(gitlab.exceptions.GitlabError):
            refused()
    with pytest.raises(gitlab.exceptions.GitlabAuthenticationError):
        gitlab.Gitlab(root, private_token="unknown").projects.get(7)
    assert lab.bodies(NUMBER) == ["hers"]


# Sabotage: our own client, with one rule broken each, must be stopped by the fake.


def api(url: str, token: str | None = "tok") -> Api:
    return Api(url, {"Authorization": f"Bearer {token}"} if token else {})


def comments(hub: FakeGitHub, token: str | None = "tok") -> Comments:
    return Comments(api(hub.url, token), api(hub.url + "/graphql", token), hub.repo, NUMBER)


def test_sabotaged_length_is_refused(hub: FakeGitHub) -> None:
    with pytest.raises(HttpError, match="422") as caught:
        comments(hub).create("x" * 70_000)
    assert "too long" in caught.value.said


def test_sabotaged_authentication_is_refused(hub: FakeGitHub) -> None:
    with pytest.raises(Forbidden, match="401"):
        comments(hub, None).create("x")


def test_sabotaged_authorship_is_refused(hub: FakeGitHub) -> None:
    planted = hub.comment(NUMBER, body("planted"), HELPER)
    with pytest.raises(Forbidden, match="403"):
        comments(hub).edit(planted["id"], "mine now")
    with pytest.raises(Forbidden, match="403"):
        comments(hub).delete(planted["id"])
    assert hub.bodies(NUMBER) == [body("planted")]


def test_sabotaged_chunks_are_refused(hub: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aces_ci.forges._github.checks.CHUNK", 51)
    notes = [note("error", number) for number in range(1, 60)]
    with pytest.raises(HttpError, match="422"):
        write_check(api(hub.url), hub.repo, "x", publication(annotations=notes))


def test_sabotaged_summary_is_refused(hub: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aces_ci.forges._github.checks.TEXT_LIMIT", 10**9)
    with pytest.raises(HttpError, match="422"):
        write_check(api(hub.url), hub.repo, "x", publication(summary="x" * 70_000))


def test_a_check_by_something_that_is_no_app_is_refused(hub: FakeGitHub) -> None:
    hub.tokens["classic"] = Identity(login="mira-k", id=1001, app=False)
    with pytest.raises(Forbidden, match="403"):
        write_check(api(hub.url, "classic"), hub.repo, "x", publication())


def test_sabotaged_notes_are_refused(lab: FakeGitLab) -> None:
    owner = MergeRequestNotes(Api(lab.url, {"PRIVATE-TOKEN": "glpat"}), "7", NUMBER)
    with pytest.raises(HttpError, match="400") as caught:
        owner.create("x" * (NOTE_LIMIT + 1))
    assert "too long" in caught.value.said
    with pytest.raises(Forbidden, match="403"):
        MergeRequestNotes(Api(lab.url, {"JOB-TOKEN": "job"}), "7", NUMBER).create("x")
    with pytest.raises(Forbidden, match="401"):
        MergeRequestNotes(Api(lab.url, {}), "7", NUMBER).create("x")
    with pytest.raises(Forbidden, match="403"):
        owner.edit(lab.comment(NUMBER, "hers")["id"], "mine now")
