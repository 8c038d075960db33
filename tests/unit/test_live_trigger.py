"""Whose commit may cost money, before anything of it is read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aces_ci.core.approval import Approval, Consent, Refusal, Via
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.slash import Purpose
from aces_ci.tiers.live_trigger import not_approved, refused
from tests.builders import an_event

HEAD = "a" * 40
FORK = an_event(kind=EventKind.CHANGE_REQUEST, head_sha=HEAD, change_request=42, trust=Trust.FORK)
GIVEN = Approval(
    purpose=Purpose.LIVE, sha=HEAD, base_ref="main", actor="ana", via=Via.ENVIRONMENT, at="2026-11-29T12:00:00Z"
)
NO = Refusal(code="permission", because="Approving needs write access; ask a maintainer.")


@pytest.mark.parametrize("via", list(Via))
def test_an_approval_of_this_very_commit_lets_a_fork_s_judge_and_agents_run(via: Via) -> None:
    consent = Consent(live=replace(GIVEN, via=via))
    assert not_approved(FORK, consent) is None
    assert refused(FORK, consent, "auto") is None


@pytest.mark.parametrize(
    ("consent", "because"),
    [
        (Consent(), "fork, not approved"),
        (Consent(live=replace(GIVEN, sha="b" * 40)), "fork, not approved"),
        (Consent(accepted=replace(GIVEN, purpose=Purpose.ACCEPT)), "fork, not approved"),
        (Consent(live=NO), "Approving needs write access; ask a maintainer"),
        (Consent(accepted=NO), "fork, not approved"),
    ],
    ids=["nobody asked", "another commit", "only a loss was accepted", "refused", "a loss was refused"],
)
def test_without_one_both_say_why_in_the_same_words(consent: Consent, because: str) -> None:
    assert not_approved(FORK, consent) == because
    word = refused(FORK, consent, "auto")
    assert word is not None
    assert (word.code, word.because) == ("fork", because)


def test_an_own_branch_needs_nobody() -> None:
    own = replace(FORK, trust=Trust.OWN)
    assert not_approved(own, Consent()) is None
    assert not_approved(own, Consent(live=NO)) is None


@pytest.mark.parametrize(
    ("kind", "when", "labels", "code"),
    [
        (EventKind.CHANGE_REQUEST, "auto", (), None),
        (EventKind.CHANGE_REQUEST, "label", ("aces:live",), None),
        (EventKind.CHANGE_REQUEST, "label", ("bug",), "label"),
        (EventKind.CHANGE_REQUEST, "off", ("aces:live",), "off"),
        (EventKind.MERGE_GROUP, "auto", (), None),
        (EventKind.LOCAL, "auto", (), None),
        (EventKind.SCHEDULE, "label", (), None),
        (EventKind.DISPATCH, "label", (), None),
        (EventKind.SCHEDULE, "off", (), "off"),
        (EventKind.COMMAND, "auto", (), "command"),
        (EventKind.PUSH, "auto", (), "push"),
    ],
)
def test_every_trigger_starts_agents_or_says_why_not(
    kind: EventKind, when: str, labels: tuple[str, ...], code: str | None
) -> None:
    word = refused(an_event(kind=kind, labels=frozenset(labels)), Consent(), when)
    assert (word.code if word else None) == code
    assert word is None or word.because


def test_a_command_that_was_accepted_starts_agents() -> None:
    event = an_event(kind=EventKind.COMMAND, head_sha=HEAD)
    assert refused(event, Consent(live=GIVEN), "label") is None


def test_the_word_for_a_missing_label_names_what_starts_agents_on_that_forge() -> None:
    github, gitlab = (refused(an_event(forge=name), Consent(), "label") for name in ("github", "gitlab"))
    assert github is not None and github.because == "`when: label` in `aces.yml`. Label `aces:live` starts it"
    assert gitlab is not None and gitlab.because == "`when: label` in `aces.yml`. ▶ on job `aces-ci:live` starts it"
