"""The review of a deployment environment as the approval of a fork's commit (docs/trust.md rule 6 a)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aces_ci.consent import consent, hand_on, still_given
from aces_ci.core.approval import Approval, Refusal, Via
from aces_ci.core.slash import Purpose
from aces_ci.shell.log import Log
from tests.forges.approval_scene import HEAD, NUMBER, OTHER, RUN, TIP, Scene, fork_s_pull_request

GATE = "aces-live"


@pytest.fixture
def waiting() -> Iterator[Scene]:
    """A run of the fork's pull request waits in the environment; nobody has looked yet."""
    with fork_s_pull_request() as made:
        made.fake.run(RUN, "pull_request_target", HEAD)
        yield made


def ask(scene: Scene, **asked: Any) -> Approval | Refusal | None:
    return scene.ask(environment=GATE, **asked)


def refusal(scene: Scene, **asked: Any) -> Refusal:
    found = ask(scene, **asked)
    assert isinstance(found, Refusal), found
    return found


def test_a_maintainer_s_review_approves_the_commit_that_the_run_is_about(waiting: Scene) -> None:
    waiting.fake.review(RUN, GATE, "ana")
    found = ask(waiting)
    assert isinstance(found, Approval)
    assert (found.via, found.sha, found.base_ref, found.actor) == (Via.ENVIRONMENT, HEAD, "main", "ana")
    written = [item.request.path for item in waiting.fake.server.exchanges if item.request.method != "GET"]
    assert written == [], "a review is used up by GitHub, and needs no right to write"


def test_the_name_of_an_environment_has_no_case(waiting: Scene) -> None:
    waiting.fake.review(RUN, "ACES-Live", "ana")
    assert isinstance(ask(waiting), Approval)


@pytest.mark.parametrize("filed", [HEAD, TIP, "d" * 40], ids=["under the head", "under the tip", "under the base"])
def test_a_run_of_pull_request_target_counts_wherever_github_files_it(waiting: Scene, filed: str) -> None:
    waiting.fake.runs[RUN]["head_sha"] = filed
    waiting.fake.review(RUN, GATE, "ana")
    found = ask(waiting)
    assert isinstance(found, Approval)
    assert found.sha == HEAD


def test_a_run_of_pull_request_is_filed_under_its_head_and_nowhere_else(waiting: Scene) -> None:
    waiting.fake.runs[RUN].update(event="pull_request", head_sha=HEAD)
    waiting.fake.review(RUN, GATE, "ana")
    assert isinstance(ask(waiting), Approval)
    waiting.fake.runs[RUN]["head_sha"] = TIP
    assert refusal(waiting).code == "review_commit"


def test_without_an_environment_the_label_is_asked_as_before(waiting: Scene) -> None:
    waiting.fake.review(RUN, GATE, "ana")
    assert waiting.ask() is None


def test_an_accepted_loss_is_no_matter_of_an_environment(waiting: Scene) -> None:
    waiting.fake.review(RUN, GATE, "ana")
    assert ask(waiting, purpose=Purpose.ACCEPT) is None


def test_one_reviewer_with_the_right_is_enough_beside_one_without(waiting: Scene) -> None:
    waiting.fake.review(RUN, GATE, "tri")
    assert refusal(waiting).code == "permission"
    waiting.fake.review(RUN, GATE, "ana")
    found = ask(waiting)
    assert isinstance(found, Approval)
    assert found.actor == "ana"


Happen = Callable[[Scene], object]


def yes(scene: Scene, by: str = "ana", **more: Any) -> None:
    scene.fake.review(RUN, GATE, by, **more)


def _then(scene: Scene, *steps: Happen) -> None:
    for step in steps:
        step(scene)


REFUSED: list[tuple[str, str, Happen]] = [
    ("nobody looked", "not_reviewed", lambda scene: None),
    ("another environment", "not_reviewed", lambda scene: scene.fake.review(RUN, "docs-preview", "ana")),
    ("another run", "not_reviewed", lambda scene: scene.fake.review(RUN + 1, GATE, "ana")),
    ("still open", "not_reviewed", lambda scene: yes(scene, state="pending")),
    ("a no", "review_rejected", lambda scene: yes(scene, state="rejected")),
    ("a protection app", "bot", lambda scene: yes(scene, "gatekeeper[bot]", person=False)),
    ("a reviewer who may only triage", "permission", lambda scene: yes(scene, "tri")),
    ("the author", "permission", lambda scene: yes(scene, "mira-k")),
    (
        "a right that is gone by now",
        "permission",
        lambda scene: _then(scene, yes, lambda it: it.fake.permissions.update(ana="read")),
    ),
    ("a push since", "moved", lambda scene: _then(scene, yes, lambda it: it.push(OTHER))),
    (
        "a push away and back",
        "voided",
        lambda scene: _then(scene, yes, lambda it: it.push(OTHER, force=True), lambda it: it.push(HEAD, force=True)),
    ),
    (
        "a push away and back before the review",
        "voided",
        lambda scene: _then(scene, lambda it: it.push(OTHER, force=True), lambda it: it.push(HEAD, force=True), yes),
    ),
    (
        "closed and opened again",
        "voided",
        lambda scene: _then(scene, yes, lambda it: it.fake.happened(NUMBER, "reopened", "mira-k")),
    ),
    ("closed", "closed", lambda scene: _then(scene, yes, lambda it: it.fake.pulls[NUMBER].update(state="closed"))),
    ("a draft", "draft", lambda scene: _then(scene, yes, lambda it: it.fake.pulls[NUMBER].update(draft=True))),
    (
        "another target",
        "retargeted",
        lambda scene: _then(scene, yes, lambda it: it.fake.pulls[NUMBER]["base"].update(ref="lax")),
    ),
    (
        "a twin",
        "ambiguous",
        lambda scene: _then(scene, yes, lambda it: it.fake.pull(43, HEAD, head_repo=(9, "mira-k/agent-skills"))),
    ),
    ("a re-run", "rerun", lambda scene: _then(scene, yes, lambda it: it.fake.runs[RUN].update(run_attempt=2))),
    (
        "another commit's run",
        "review_commit",
        lambda scene: _then(scene, yes, lambda it: it.fake.runs[RUN].update(head_sha=OTHER)),
    ),
    (
        "a run of a comment",
        "review_event",
        lambda scene: _then(scene, yes, lambda it: it.fake.runs[RUN].update(event="issue_comment")),
    ),
    (
        "a token that may not read runs",
        "review_unreadable",
        lambda scene: _then(scene, yes, lambda it: setattr(it.fake, "unread_actions", True)),
    ),
    ("a run that is not there", "review_unreadable", lambda scene: _then(scene, yes, lambda it: it.fake.runs.clear())),
]


@pytest.mark.parametrize(("name", "code", "happen"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_what_is_no_approval_is_one_clear_sentence(waiting: Scene, name: str, code: str, happen: Happen) -> None:
    happen(waiting)
    found = refusal(waiting)
    assert found.code == code, found
    assert found.because.count(". ") == 0
    assert found.because.endswith(".")
    assert ";" in found.because, "it says what to do instead"
    assert "{" not in found.because


def test_the_refusals_are_told_apart(waiting: Scene) -> None:
    assert len({code for _, code, _ in REFUSED}) >= 12


def test_the_event_that_started_the_run_does_not_void_it(waiting: Scene) -> None:
    happened = waiting.fake.happened(NUMBER, "reopened", "mira-k")
    waiting.fake.run(RUN, "pull_request_target", HEAD, created_at=happened["created_at"])
    yes(waiting)
    assert isinstance(ask(waiting), Approval)


def test_a_review_is_asked_again_before_the_money_and_by_every_shard(waiting: Scene) -> None:
    yes(waiting)
    forge, event = waiting.forge(environment=GATE), waiting.event()
    given = consent(forge, event, "default", Log(io.StringIO()))
    assert isinstance(given.live, Approval)
    assert still_given(forge, event, given) is None
    shard = consent(forge, event, "default", Log(io.StringIO()), hand_on(given))
    assert shard.live == given.live
    waiting.push(OTHER)
    stopped = still_given(forge, event, given)
    assert stopped is not None
    assert stopped.code == "moved"
