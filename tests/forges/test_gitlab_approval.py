"""Approvals on a merge request: a pressed manual job for live, a label for an accepted loss."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from aces_ci.core.approval import Approval, Refusal, Via
from aces_ci.core.event import Event, EventKind, Trust
from aces_ci.core.slash import Purpose
from aces_ci.core.sticky import Marker
from aces_ci.forges.gitlab import GitLab
from aces_ci.ports.forge import ForgeOptions
from aces_ci.shell.log import Log
from tests.fakes.gitlab import BOT, FakeGitLab, Member

HEAD, OTHER = "a" * 40, "b" * 40
NUMBER = 42


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab().running() as made:
        made.change(NUMBER, HEAD, source_project_id=8)
        made.members[50] = Member(id=50, username="ana", level=40)
        made.members[60] = Member(id=60, username="rep", level=20)
        made.versions[NUMBER] = [{"id": 1, "created_at": made.now()}]
        made.comment(NUMBER, Marker(key="default", head=HEAD).line + "\nx", BOT)
        yield made


def ask(
    fake: FakeGitLab,
    purpose: Purpose = Purpose.LIVE,
    *,
    token: str | None = "glpat",
    labels: tuple[str, ...] = (),
    **env: str,
) -> Approval | Refusal | None:
    """What the job gets."""
    pressed = {
        "CI_API_V4_URL": fake.url,
        "CI_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_PROJECT_ID": "7",
        "CI_JOB_MANUAL": "true",
        "GITLAB_USER_ID": "50",
        "CI_JOB_STARTED_AT": fake.now().replace(".000", ""),
    }
    forge = GitLab({**pressed, **env}, Log(io.StringIO()), ForgeOptions(token=token))
    event = Event(
        kind=EventKind.CHANGE_REQUEST,
        forge="gitlab",
        repo=fake.project,
        head_sha=HEAD,
        base_ref="main",
        change_request=NUMBER,
        labels=frozenset(labels),
        trust=Trust.FORK,
    )
    return forge.approval(event, purpose, "default")


def code(found: Approval | Refusal | None) -> str:
    assert isinstance(found, Refusal), found
    return found.code


def labelled(fake: FakeGitLab, by: int = 50) -> None:
    """Somebody sets aces:accept."""
    fake.changes[NUMBER]["labels"] = ["aces:accept"]
    fake.label_events[NUMBER] = [
        {"id": 1, "action": "add", "label": {"name": "aces:accept"}, "user": {"id": by}, "created_at": fake.now()}
    ]


def test_the_button_in_the_target_project_is_the_approval(fake: FakeGitLab) -> None:
    found = ask(fake)
    assert isinstance(found, Approval)
    assert (found.via, found.sha, found.actor) == (Via.ENVIRONMENT, HEAD, "50")


def test_a_button_in_the_fork_and_a_job_that_nobody_pressed_are_none(fake: FakeGitLab) -> None:
    assert ask(fake, CI_PROJECT_ID="8") is None
    assert ask(fake, CI_JOB_MANUAL="") is None


def test_a_reporter_and_a_stranger_may_not(fake: FakeGitLab) -> None:
    assert code(ask(fake, GITLAB_USER_ID="60")) == "permission"
    assert code(ask(fake, GITLAB_USER_ID="999")) == "bot", "a user who is gone is nobody's word"
    assert code(ask(fake, GITLAB_USER_ID="50/../60")) == "permission"


def test_an_access_token_that_presses_or_labels_is_no_person(fake: FakeGitLab) -> None:
    assert fake.members[BOT.id].level >= 30, "it may push, and still it may not approve"
    assert code(ask(fake, GITLAB_USER_ID=str(BOT.id))) == "bot"
    labelled(fake, by=BOT.id)
    assert code(ask(fake, Purpose.ACCEPT, labels=("aces:accept",))) == "bot"


def test_a_push_after_the_button_moves_the_head(fake: FakeGitLab) -> None:
    fake.changes[NUMBER]["sha"] = OTHER
    assert code(ask(fake)) == "moved"


def test_without_our_token_it_says_which_one_is_missing(fake: FakeGitLab) -> None:
    found = ask(fake, token=None)
    assert code(found) == "no_token"
    assert isinstance(found, Refusal)
    assert "ACES_GITLAB_TOKEN" in found.because


@pytest.mark.parametrize("purpose", list(Purpose))
def test_without_our_token_nobody_is_refused_who_did_not_ask(fake: FakeGitLab, purpose: Purpose) -> None:
    assert ask(fake, purpose, token=None, CI_JOB_MANUAL="") is None
    assert not fake.server.exchanges


def test_a_loss_is_accepted_by_a_label_set_after_our_note(fake: FakeGitLab) -> None:
    labelled(fake)
    assert isinstance(ask(fake, Purpose.ACCEPT, labels=("aces:accept",)), Approval)
    assert ask(fake, Purpose.ACCEPT) is None


def test_a_new_version_of_the_diff_voids_the_label(fake: FakeGitLab) -> None:
    labelled(fake)
    fake.versions[NUMBER].append({"id": 2, "created_at": fake.now()})
    assert code(ask(fake, Purpose.ACCEPT, labels=("aces:accept",))) == "voided"


def test_a_label_older_than_our_note_was_not_set_on_what_it_says(fake: FakeGitLab) -> None:
    labelled(fake)
    for row in fake.notes.values():
        row["updated_at"] = fake.now()
    assert code(ask(fake, Purpose.ACCEPT, labels=("aces:accept",))) == "too_early"
