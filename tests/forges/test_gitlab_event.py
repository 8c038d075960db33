"""GitLab's variables, word by word."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.event import EventKind, Trust
from aces_ci.forges.gitlab import GitLab
from aces_ci.shell.log import Log
from tests.contracts.forge_rigs import NUMBER, body, gitlab, publication
from tests.fakes.gitlab import FakeGitLab

HEAD, BASE, TARGET, MERGE = "a" * 40, "b" * 40, "c" * 40, "d" * 40
DETACHED = {
    "GITLAB_CI": "true",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_PROJECT_PATH": "acme/agent-skills",
    "CI_PROJECT_ID": "7",
    "CI_COMMIT_SHA": HEAD,
    "CI_DEFAULT_BRANCH": "main",
    "CI_SERVER_URL": "https://gitlab.example",
    "CI_JOB_URL": "https://gitlab.example/acme/agent-skills/-/jobs/1",
    "CI_MERGE_REQUEST_IID": "42",
    "CI_MERGE_REQUEST_PROJECT_ID": "7",
    "CI_MERGE_REQUEST_PROJECT_PATH": "acme/agent-skills",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "7",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
    "CI_MERGE_REQUEST_LABELS": "bug,aces:live",
    "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
}


def forge(**more: str) -> GitLab:
    """A forge under a detached merge request pipeline, changed by `more`."""
    return GitLab({**DETACHED, **more}, Log(io.StringIO()))


def test_a_detached_pipeline_compares_with_the_diff_s_base(tmp_path: Path) -> None:
    event = forge().event(tmp_path)
    assert (event.kind, event.head_sha, event.base_sha, event.base_ref, event.change_request) == (
        EventKind.CHANGE_REQUEST,
        HEAD,
        BASE,
        "release",
        42,
    )
    assert event.labels == {"bug", "aces:live"}
    assert event.trust is Trust.OWN


def test_a_merged_results_pipeline_compares_the_author_s_commit_with_the_target(tmp_path: Path) -> None:
    event = forge(
        CI_COMMIT_SHA=MERGE,
        CI_MERGE_REQUEST_EVENT_TYPE="merged_result",
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=HEAD,
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA=TARGET,
    ).event(tmp_path)
    assert (event.head_sha, event.base_sha) == (HEAD, TARGET)


def test_a_merge_train_is_the_merge_queue_s_twin(tmp_path: Path) -> None:
    event = forge(
        CI_COMMIT_SHA=MERGE,
        CI_MERGE_REQUEST_EVENT_TYPE="merge_train",
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=HEAD,
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA=TARGET,
    ).event(tmp_path)
    assert (event.kind, event.head_sha, event.base_sha, event.change_request) == (
        EventKind.MERGE_GROUP,
        MERGE,
        TARGET,
        None,
    )


@pytest.mark.parametrize("source", ["8", ""], ids=["fork", "deleted"])
def test_a_fork_s_merge_request_belongs_to_the_target_and_is_foreign(tmp_path: Path, source: str) -> None:
    event = forge(
        CI_PROJECT_ID="8", CI_PROJECT_PATH="mira-k/agent-skills", CI_MERGE_REQUEST_SOURCE_PROJECT_ID=source
    ).event(tmp_path)
    assert event.trust is Trust.FORK
    assert event.repo == "acme/agent-skills"


def test_a_fork_s_pipeline_posts_under_the_target_project(tmp_path: Path) -> None:
    with gitlab(tmp_path) as rig:
        forge = rig.remake(token="glpat", CI_PROJECT_ID="8", CI_PROJECT_PATH="mira-k/agent-skills")
        assert forge.publish(forge.event(tmp_path), publication()).comment == "created"
        assert rig.server is not None
        assert rig.server.seen("POST")[0].request.path == f"/projects/7/merge_requests/{NUMBER}/notes"


def test_labels_are_read_again_because_the_variables_are_frozen(tmp_path: Path) -> None:
    with FakeGitLab().running() as fake:
        fake.change(42, HEAD, labels=["aces:accept"])
        env = {"CI_API_V4_URL": fake.url, "CI_JOB_TOKEN": "job"}
        assert forge(**env).event(tmp_path).labels == {"aces:accept"}
        fake.job_tokens.clear()
        assert forge(**env).event(tmp_path).labels == {"bug", "aces:live"}


def test_push_schedule_and_a_pressed_button(tmp_path: Path) -> None:
    push = forge(CI_PIPELINE_SOURCE="push", CI_COMMIT_BRANCH="topic", CI_COMMIT_BEFORE_SHA=BASE).event(tmp_path)
    assert (push.kind, push.base_sha, push.base_ref) == (EventKind.PUSH, BASE, "topic")
    new = forge(CI_PIPELINE_SOURCE="push", CI_COMMIT_BEFORE_SHA="0" * 40).event(tmp_path)
    assert new.base_sha is None
    nightly = forge(CI_PIPELINE_SOURCE="schedule").event(tmp_path)
    assert (nightly.kind, nightly.trust) == (EventKind.SCHEDULE, Trust.SCHEDULED)
    assert forge(CI_PIPELINE_SOURCE="web").event(tmp_path).kind is EventKind.DISPATCH


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"CI_PIPELINE_SOURCE": "external_pull_request_event"}, "external_pull_request_event"),
        ({"CI_PIPELINE_SOURCE": ""}, "(none)"),
        ({"CI_COMMIT_SHA": "abc"}, "CI_COMMIT_SHA"),
        ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": ""}, "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        ({"CI_MERGE_REQUEST_IID": "../7"}, "CI_MERGE_REQUEST_IID"),
    ],
)
def test_what_cannot_be_evaluated_is_one_sentence(tmp_path: Path, more: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        forge(**more).event(tmp_path)
    assert says in caught.value.text()


def test_system_notes_are_no_comments(tmp_path: Path) -> None:
    with FakeGitLab().running() as fake:
        fake.change(NUMBER, publication().head_sha)
        fake.comment(NUMBER, body("old"), fake.tokens["glpat"], system=True)
        made = GitLab({**DETACHED, "CI_API_V4_URL": fake.url, "ACES_GITLAB_TOKEN": "glpat"}, Log(io.StringIO()))
        made.publish(made.event(tmp_path), publication())
        assert fake.bodies(NUMBER) == [body("one")]


def test_the_job_token_is_never_used_to_write(tmp_path: Path) -> None:
    with gitlab(tmp_path, token=None) as rig:
        posted = rig.forge.publish(rig.event(), publication())
        assert rig.server is not None
        assert not rig.server.seen("POST")
    assert "job token" in posted.notices[0]
    assert "ACES_GITLAB_TOKEN" in posted.notices[0]
