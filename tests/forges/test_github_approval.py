"""Approvals on a pull request, each as it happens on the server."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from aces_ci.consent import consent, hand_on, still_given
from aces_ci.core.approval import Approval, Consent, Refusal, Via
from aces_ci.core.errors import UsageError
from aces_ci.core.slash import Purpose
from aces_ci.core.sticky import Marker
from aces_ci.forges.github import GitHub
from aces_ci.ports.forge import ForgeOptions
from aces_ci.shell.log import Log
from tests.contracts.forge_rigs import publication
from tests.fakes.github import BOT
from tests.fakes.server import Answer
from tests.forges.approval_scene import HEAD, NUMBER, OTHER, Scene, fork_s_pull_request


@pytest.fixture
def scene() -> Iterator[Scene]:
    with fork_s_pull_request() as made:
        yield made


def test_nobody_asked(scene: Scene) -> None:
    scene.see()
    assert scene.ask() is None
    assert scene.ask(comment=scene.comment("looks fine")) is None


def test_a_maintainer_s_label_after_the_text_checks_counts_once(scene: Scene) -> None:
    scene.see()
    scene.label()
    found = scene.ask()
    assert isinstance(found, Approval)
    assert (found.sha, found.via, found.actor) == (HEAD, Via.LABEL, "ana")
    assert scene.fake.pulls[NUMBER]["labels"] == []


def test_two_jobs_of_one_label_do_not_both_spend(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.fake.server.force("DELETE", "/labels/", Answer(status=404, body={"message": "Label does not exist"}))
    assert scene.code() == "used"


def test_a_label_set_before_the_text_checks_is_too_early(scene: Scene) -> None:
    scene.label()
    assert scene.code() == "unseen"
    scene.see()
    assert scene.code() == "too_early"


def test_a_push_between_reading_and_clicking_is_not_what_was_read(scene: Scene) -> None:
    scene.see()
    scene.push(OTHER)
    scene.label()
    assert scene.code(head=OTHER) == "unseen"


def test_a_push_after_the_label_voids_it(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.push(OTHER)
    assert scene.code(head=HEAD) == "moved"
    scene.see(OTHER)
    assert scene.code(head=OTHER) == "too_early"


def test_a_force_push_away_and_back_to_the_approved_commit_voids_it(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.push(OTHER, force=True)
    scene.push(HEAD, force=True)
    assert scene.code() == "voided"


@pytest.mark.parametrize("happened", ["reopened", "base_ref_changed"])
def test_reopening_and_a_new_target_void_it(scene: Scene, happened: str) -> None:
    scene.see()
    scene.label()
    scene.fake.happened(NUMBER, happened, "mira-k")
    assert scene.code() == "voided"


def test_a_new_target_is_seen_even_without_its_event(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.fake.pulls[NUMBER]["base"]["ref"] = "lax"
    assert scene.code() == "retargeted"


def test_triage_may_label_and_not_approve(scene: Scene) -> None:
    scene.see()
    scene.label("tri")
    assert scene.code() == "permission"


def test_a_labelling_bot_does_not_approve(scene: Scene) -> None:
    scene.see()
    scene.fake.permissions["labeler[bot]"] = "write"
    scene.label("labeler[bot]", person=False)
    assert scene.code() == "bot"


def test_permission_is_that_of_now_and_not_of_then(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.fake.permissions["ana"] = "read"
    assert scene.code() == "permission"


def test_two_pull_requests_with_one_head_are_not_told_apart(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.fake.pull(43, HEAD, head_repo=(9, "mira-k/agent-skills"), base_ref="old-lax-branch")
    assert scene.code() == "ambiguous"


def test_a_rerun_of_an_old_job_does_not_spend_again(scene: Scene) -> None:
    scene.see()
    scene.label()
    assert scene.code(attempt=2) == "rerun"


def test_a_command_with_the_full_sha_counts_once(scene: Scene) -> None:
    scene.fake.permissions["mira-k"] = "write"
    comment = scene.comment(f"/aces live {HEAD}")
    found = scene.ask(comment=comment)
    assert isinstance(found, Approval)
    assert found.via is Via.COMMAND
    assert scene.code(comment=comment) == "used"


def test_an_edited_command_does_not_count(scene: Scene) -> None:
    scene.fake.permissions["mira-k"] = "write"
    comment = scene.comment("looks fine")
    scene.fake.comments[comment].update(body=f"/aces live {HEAD}", updated_at=scene.fake.now())
    assert scene.code(comment=comment) == "edited"


def test_the_author_of_the_fork_cannot_approve_himself(scene: Scene) -> None:
    assert scene.code(comment=scene.comment(f"/aces live {HEAD}")) == "permission"


@pytest.mark.parametrize(
    ("line", "code"),
    [(f"/aces live {HEAD[:7]}", "grammar"), ("/aces live", "no_sha"), (f"/aces live {OTHER}", "moved")],
)
def test_a_command_names_the_head_in_full(scene: Scene, line: str, code: str) -> None:
    scene.fake.permissions["mira-k"] = "write"
    assert scene.code(comment=scene.comment(line)) == code


def test_accepting_a_loss_goes_through_the_same_checks(scene: Scene) -> None:
    scene.see()
    scene.label("tri", purpose=Purpose.ACCEPT)
    assert scene.code(purpose=Purpose.ACCEPT) == "permission"
    scene.label(purpose=Purpose.ACCEPT)
    assert scene.ask(purpose=Purpose.LIVE) is None
    assert isinstance(scene.ask(purpose=Purpose.ACCEPT), Approval)


def test_closed_while_the_job_waited(scene: Scene) -> None:
    scene.see()
    scene.label()
    scene.fake.pulls[NUMBER]["state"] = "closed"
    assert scene.code() == "closed"


def test_an_accepted_loss_is_not_used_up_and_a_rerun_finds_it(scene: Scene) -> None:
    scene.see()
    scene.label(purpose=Purpose.ACCEPT)
    for attempt in (1, 2):
        assert isinstance(scene.ask(purpose=Purpose.ACCEPT, attempt=attempt), Approval)
    scene.push(OTHER)
    assert scene.code(purpose=Purpose.ACCEPT) == "moved"


def rewrite(scene: Scene, text: str, head: str = HEAD, since: str | None = None) -> None:
    """A job is run again and says something else."""
    body = Marker(key="default", head=head, since=since).line + f"\n{text}"
    scene.forge().publish(scene.event(head=head), publication(head=head, comment=body))


def test_what_is_accepted_stays_so_when_our_own_comment_has_said_so(scene: Scene) -> None:
    scene.see()
    scene.label(purpose=Purpose.ACCEPT)
    for text in ("accepted", "accepted, after 0.4 s"):
        assert isinstance(scene.ask(purpose=Purpose.ACCEPT), Approval)
        rewrite(scene, text)
    scene.push(OTHER)
    rewrite(scene, "blocked", OTHER)
    assert scene.code(head=OTHER, purpose=Purpose.ACCEPT) == "too_early"


def test_a_marker_claims_no_time_before_its_comment_was_written(scene: Scene) -> None:
    scene.label()
    scene.fake.comment(NUMBER, Marker(key="default", head=HEAD, since="1970-01-01T00:00:00Z").line + "\nx", BOT)
    assert scene.code() == "too_early"


def test_the_consent_of_a_run_tells_refusals_and_survives_a_forge_that_is_silent(scene: Scene) -> None:
    log = io.StringIO()
    env = {"GITHUB_REPOSITORY": scene.fake.repo}
    forge = GitHub(env, Log(log), ForgeOptions(token="tok", api_url=scene.fake.url))
    event = scene.event()
    scene.label("tri")
    scene.see()
    found = consent(forge, event, "default", Log(log))
    assert isinstance(found.live, Refusal)
    assert found.live.because in log.getvalue()
    scene.fake.server.force("GET", "/pulls/", Answer(status=403, body={"message": "no"}))
    assert consent(forge, event, "default", Log(log)) == Consent()
    assert "nothing is approved" in log.getvalue()


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_cannot_be_read_again_does_not_hold(scene: Scene, status: int) -> None:
    scene.see()
    scene.label()
    given = scene.ask()
    assert isinstance(given, Approval)
    scene.fake.server.force("GET", "/pulls/", Answer(status=status, body={"message": "no"}))
    found = still_given(scene.forge(), scene.event(), Consent(live=given))
    assert isinstance(found, Refusal)
    assert found.code == "unreadable"
    scene.fake.server.force("GET", "/pulls/", Answer(status=status, body={"message": "no"}))
    log = io.StringIO()
    handed = hand_on(Consent(live=given))
    assert consent(scene.forge(), scene.event(), "default", Log(log), handed) == Consent()
    assert "nothing is approved" in log.getvalue()


def test_shards_share_the_approval_that_the_planning_job_used_up(scene: Scene) -> None:
    scene.see()
    scene.label()
    given = scene.ask()
    assert isinstance(given, Approval)
    handed = hand_on(Consent(live=given))
    env = {"GITHUB_REPOSITORY": scene.fake.repo}
    forge = GitHub(env, Log(io.StringIO()), ForgeOptions(token="tok", api_url=scene.fake.url))
    event = scene.event()
    for _ in range(2):
        assert consent(forge, event, "default", Log(io.StringIO()), handed).live == given
    scene.push(OTHER, force=True)
    refused = consent(forge, event, "default", Log(io.StringIO()), handed).live
    assert isinstance(refused, Refusal)
    assert hand_on(Consent(live=refused)) == ""
    for forged in ("{}", "yes", handed.replace('"sha"', '"commit"'), handed[:-1] + ', "budget": 1}'):
        with pytest.raises(UsageError, match="no approval"):
            consent(forge, event, "default", Log(io.StringIO()), forged)


def test_a_shard_that_is_run_again_does_not_spend_the_first_attempt_s_approval(scene: Scene) -> None:
    scene.see()
    scene.label()
    given = scene.ask()
    assert isinstance(given, Approval)
    handed = hand_on(Consent(live=given))
    again = consent(scene.forge(2), scene.event(), "default", Log(io.StringIO()), handed).live
    assert isinstance(again, Refusal)
    assert again.code == "rerun"


def test_looking_at_an_approval_leaves_it_for_the_run(scene: Scene) -> None:
    scene.see()
    scene.label()
    found = consent(scene.forge(), scene.event(), "default", Log(io.StringIO()), use=False).live
    assert isinstance(found, Approval)
    assert [row["name"] for row in scene.fake.pulls[NUMBER]["labels"]] == ["aces:live"]
    scene.fake.permissions["mira-k"] = "write"
    comment = scene.comment(f"/aces live {HEAD}")
    assert isinstance(scene.ask(comment=comment, use=False), Approval)
    assert not scene.fake.reactions
    assert isinstance(scene.ask(comment=comment), Approval)
