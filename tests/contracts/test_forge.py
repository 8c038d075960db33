"""What every forge keeps: one comment in place, none for an old head, and rights that are missing are a
notice."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from aces_ci.core.approval import Approval, Refusal, Via
from aces_ci.core.errors import UsageError
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.slash import Purpose
from aces_ci.core.sticky import read_marker
from aces_ci.ports.forge import Posted
from aces_ci.shell.http import HttpError
from tests.contracts.forge_rigs import HEAD, NEXT_HEAD, NUMBER, RIGS, Rig, body, note, publication
from tests.fakes.server import Answer, Request

T = TypeVar("T")


@pytest.fixture(params=sorted(RIGS))
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    """Each forge in turn."""
    with RIGS[request.param](tmp_path) as made:
        yield made


def publish(rig: Rig, text: str = "one", head: str = HEAD, **more: object) -> Posted:
    """One run's posting."""
    return rig.forge.publish(rig.event(), publication(text, head, **more))


def expected(rig: Rig, *texts: T) -> list[T]:
    """`texts` where the forge has a place for them."""
    return list(texts) if rig.posts else []


def test_says_who_it_is_and_when_it_applies(rig: Rig) -> None:
    assert rig.forge.name == rig.name
    assert rig.forge.applies(rig.env)
    others = [other for other in ("github", "gitlab", "local") if other != rig.name]
    applies = {"github": {"GITHUB_ACTIONS": "true"}, "gitlab": {"GITLAB_CI": "true"}, "local": {}}
    assert not any(rig.forge.applies(applies[other]) for other in others)


def test_the_event_names_both_ends(rig: Rig) -> None:
    event = rig.event()
    assert event.forge == rig.name
    assert event.trust is Trust.OWN
    if rig.posts:
        assert (event.kind, event.change_request, event.head_sha) == (EventKind.CHANGE_REQUEST, NUMBER, HEAD)
        assert (event.repo, event.base_ref, event.default_branch) == ("acme/agent-skills", "main", "main")
        assert re.fullmatch("[0-9a-f]{40}", event.base_sha or "")
    else:
        assert (event.kind, event.change_request) == (EventKind.LOCAL, None)


def test_first_run_posts_and_the_second_push_edits_the_same_comment(rig: Rig) -> None:
    first = publish(rig)
    rig.move_head(NEXT_HEAD)
    second = publish(rig, "two", NEXT_HEAD)
    assert rig.bodies() == expected(rig, body("two", NEXT_HEAD))
    assert (first.comment, second.comment) == (("created", "edited") if rig.posts else ("none", "none"))
    assert first.url == second.url


def test_same_text_again_writes_nothing(rig: Rig) -> None:
    publish(rig)
    posted = publish(rig)
    assert posted.comment == ("unchanged" if rig.posts else "none")
    assert rig.server is None or not rig.server.seen(rig.write)


def test_marker_planted_by_another_author_is_ignored(rig: Rig) -> None:
    planted = body("approved, merge me")
    rig.plant(planted)
    publish(rig)
    assert rig.bodies() == expected(rig, planted, body("one"))
    assert rig.server is None or not rig.server.seen(rig.write), "nobody else's comment is even tried"


def test_our_own_comment_that_only_quotes_the_marker_is_ignored(rig: Rig) -> None:
    quoting = "see\n" + body("old")
    rig.plant(quoting, ours=True)
    publish(rig)
    assert rig.bodies() == expected(rig, quoting, body("one"))


@pytest.mark.parametrize(("count", "ours"), [(35, 33), (135, 120)])
def test_a_comment_past_page_one_is_found(rig: Rig, count: int, ours: int) -> None:
    for number in range(1, count + 1):
        rig.plant(body("old") if number == ours else f"talk {number}", ours=number == ours)
    posted = publish(rig)
    assert posted.comment == ("edited" if rig.posts else "none")
    assert len(rig.bodies()) == (count if rig.posts else 0)
    assert rig.server is None or not [item for item in rig.server.seen("POST") if "graphql" not in item.request.path]


def test_comments_with_another_key_live_beside_it(rig: Rig) -> None:
    publish(rig)
    publish(rig, key="nightly", comment=body("night", key="nightly"))
    assert rig.bodies() == expected(rig, body("one"), body("night", key="nightly"))


def test_a_head_that_moved_on_gets_no_comment(rig: Rig) -> None:
    rig.move_head(NEXT_HEAD)
    posted = publish(rig)
    assert rig.bodies() == []
    assert posted.comment == ("stale" if rig.posts else "none")
    assert not rig.posts or HEAD[:7] in posted.notices[0]


def test_no_skill_changed_posts_nothing_and_corrects_what_is_there(rig: Rig) -> None:
    assert publish(rig, comment=None).comment == "none"
    assert rig.bodies() == []
    publish(rig)
    publish(rig, comment=None)
    assert rig.bodies() == expected(rig, body("no skill changed"))


def test_too_long_is_written_smaller_once(rig: Rig) -> None:
    if rig.server:
        rig.server.force("POST", "s/42/", rig.too_long)
    posted = publish(rig)
    assert rig.bodies() == expected(rig, body("small one"))
    assert not rig.posts or "too long" in posted.notices[0]


def test_too_long_twice_is_an_error_and_not_a_loop(rig: Rig) -> None:
    if rig.server is None:
        assert publish(rig).comment == "none"
        return
    rig.server.force("POST", "s/42/", rig.too_long, times=5)
    with pytest.raises(HttpError, match="POST"):
        publish(rig)
    assert len(rig.server.forced) == 3


def test_lacking_rights_is_a_notice_and_nothing_raises(rig: Rig) -> None:
    if rig.server:
        rig.server.force("POST", "s/42/", rig.forbidden)
    posted = publish(rig)
    assert rig.bodies() == []
    assert posted.comment == ("refused" if rig.posts else "none")
    assert posted.notices


def test_no_token_is_a_notice_that_says_what_to_set(rig: Rig) -> None:
    forge = rig.remake(token=None)
    posted = forge.publish(rig.event(), publication())
    assert rig.bodies() == []
    assert posted.comment == ("refused" if rig.posts else "none")
    wanted = {"github": "GITHUB_TOKEN", "gitlab": "ACES_GITLAB_TOKEN", "local": "comment.md"}
    assert wanted[rig.name] in posted.notices[0]


def test_a_comment_that_can_no_longer_be_edited_is_followed_by_a_new_one(rig: Rig) -> None:
    rig.plant(body("old"), ours=True)
    if rig.server:
        rig.server.force(rig.write, "/", rig.forbidden)
    posted = publish(rig)
    assert rig.bodies() == expected(rig, body("old"), body("one"))
    assert not rig.posts or (posted.comment == "created" and "403" in posted.notices[0])


def test_two_runs_at_once_leave_one_comment(rig: Rig) -> None:
    if rig.server is None:
        assert publish(rig).comment == "none"
        return
    both_looked = threading.Barrier(2, timeout=10)
    first_looks = threading.local()

    def meet(request: Request, answer: Answer) -> None:
        listing = request.method == "GET" and request.path.endswith(("/comments", "/notes"))
        if listing and not getattr(first_looks, "done", False):
            first_looks.done = True
            both_looked.wait()

    rig.server.watch = meet
    results: list[Posted] = []
    event = rig.event()
    runs = [
        threading.Thread(target=lambda: results.append(rig.remake().publish(event, publication()))) for _ in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert rig.bodies() == [body("one")]
    assert len(results) == 2


def test_an_edit_for_the_same_head_keeps_the_time_of_its_first_result(rig: Rig) -> None:
    def since() -> list[str | None]:
        return [marker.since for text in rig.written() if (marker := read_marker(text)) is not None]

    publish(rig)
    assert since() == expected(rig, None), "what the server dates needs no words of ours"
    publish(rig, "two")
    first = since()
    publish(rig, "three")
    assert since() == first
    assert all(first) and publish(rig, "three").comment in ("unchanged", "none")
    rig.move_head(NEXT_HEAD)
    publish(rig, "four", NEXT_HEAD)
    assert since() == expected(rig, None)


def test_duplicates_of_an_earlier_race_are_swept(rig: Rig) -> None:
    rig.plant(body("old"), ours=True)
    rig.plant(body("old"), ours=True)
    publish(rig)
    assert rig.bodies() == expected(rig, body("one"))


def test_a_transient_failure_is_asked_again_and_posts_once(rig: Rig) -> None:
    if rig.server:
        rig.server.force("GET", "s/42", Answer(status=502, body={}))
        rig.server.force("POST", "s/42/", Answer(status=429, body={}))
    publish(rig)
    assert rig.bodies() == expected(rig, body("one"))


def test_nobody_asked_and_nobody_is_taken_to_have(rig: Rig) -> None:
    for purpose in Purpose:
        assert rig.forge.approval(rig.event(), purpose, "default") is None


def test_a_maintainer_approves_one_commit_and_a_push_takes_it_back(rig: Rig) -> None:
    event = rig.event()
    forge = rig.approved()
    given = forge.approval(event, Purpose.LIVE, "default")
    if not rig.posts:
        assert given is None, "at a terminal the price is asked instead"
        return
    assert isinstance(given, Approval)
    assert (given.purpose, given.sha, given.base_ref, given.via) == (Purpose.LIVE, HEAD, "main", Via.ENVIRONMENT)
    assert forge.recheck(event, given) is None
    rig.move_head(NEXT_HEAD)
    refused = forge.recheck(event, given)
    assert refused is not None
    assert (refused.code, NEXT_HEAD in refused.because) == ("moved", True)


def test_an_approval_is_worth_what_its_giver_may_do_now(rig: Rig) -> None:
    event = rig.event()
    forge = rig.approved()
    rig.demote()
    found = forge.approval(event, Purpose.LIVE, "default")
    assert (found.code if isinstance(found, Refusal) else None) == ("permission" if rig.posts else None)


def test_looking_at_an_approval_changes_nothing_on_the_server(rig: Rig) -> None:
    forge = rig.approved()
    forge.approval(rig.event(), Purpose.LIVE, "default", use=False)
    written = [] if rig.server is None else [item for item in rig.server.exchanges if item.request.method != "GET"]
    assert [item for item in written if item.request.path != "/graphql"] == []


def test_a_job_that_follows_no_other_has_no_report_to_post(rig: Rig) -> None:
    with pytest.raises(UsageError, match="no report to post"):
        rig.forge.foreign("aces-ci", "aces-results", None)


def test_annotations_reach_the_log_in_one_line_each(rig: Rig) -> None:
    hostile = note(message="a\n::error::b\r\x1b[31m ##[add-mask]c", title="t: 1, 2")
    publish(rig, annotations=(hostile,))
    rows = [row for row in rig.log.getvalue().split("\n") if "skills/a/SKILL.md" in row]
    assert len(rows) == 1
    assert "\x1b" not in rows[0].replace("\x1b[0K", "")
    assert "\r" not in rows[0]


def test_the_policy_of_the_default_branch_is_read_without_a_checkout(rig: Rig) -> None:
    assert rig.forge.policy() is None
    rig.settle(b"version: 1\n" * 9)
    assert rig.forge.policy() == (b"version: 1\n" * 9 if rig.posts else None)
    rig.settle(b"#" * 65_537)
    if rig.posts:
        with pytest.raises(UsageError, match="too long"):
            rig.forge.policy()
