"""One run, one budget: tiers and shards divide it, and each asks again before it spends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aces_ci.core.amount import in_micros
from aces_ci.core.approval import Approval, Consent, Refusal, Via
from aces_ci.core.change import Because, BecauseKind, ChangeSet, How, SkillChange
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.evidence import PolicySource
from aces_ci.core.slash import Purpose
from aces_ci.pipeline import Job, Sink, evaluate
from aces_ci.settings.load import load
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import Budget
from tests.builders import an_event

HEAD = "a" * 40
GONE = SkillChange(
    how=How.DELETED,
    path="skills/a",
    name="a",
    because=Because(kind=BecauseKind.OWN_FILE, path="skills/a/SKILL.md"),
)
CHANGES = ChangeSet(merge_base="b" * 40, head=HEAD, skills=(GONE,))
GIVEN = Approval(
    purpose=Purpose.LIVE, sha=HEAD, base_ref="main", actor="ana", via=Via.COMMAND, at="2026-11-29T12:00:00Z"
)
VOID = Refusal(code="moved", because="The head is not the approved commit any more; approve again.")


def job(usd: str = "1", **more: Any) -> Job:
    """A job of a fork's approved commit, in which no file is read."""
    shard = more.get("shard") or (1, 1)
    return Job(
        purse=Purse.of_shard(in_micros(None if usd == "null" else float(usd)), shard[1]),
        event=an_event(kind=EventKind.CHANGE_REQUEST, head_sha=HEAD, change_request=42, trust=Trust.FORK),
        repository=None,  # type: ignore[arg-type]
        reader=None,  # type: ignore[arg-type]
        loaded=load(overrides=(f"budget.usd={usd}",)),
        policy=PolicySource(ref="built-in defaults"),
        consent=Consent(live=GIVEN),
        **more,
    )


@pytest.mark.parametrize(
    ("cap", "shards", "part"),
    [(1_000_000, 1, 1_000_000), (1_000_000, 8, 125_000), (100_000, 3, 33_333), (None, 8, None)],
)
def test_a_shard_has_an_equal_part_of_the_budget(cap: int | None, shards: int, part: int | None) -> None:
    assert Purse.of_shard(cap, shards).cap == part


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 256])
def test_all_shards_together_have_no_more_than_the_budget(shards: int) -> None:
    assert shards * (Purse.of_shard(10_000_000, shards).cap or 0) <= 10_000_000


@pytest.mark.parametrize(("price", "left"), [(300_000, 700_000), (None, 600_000)], ids=["known", "unknown"])
def test_what_the_judge_paid_is_not_there_for_the_agents(price: int | None, left: int) -> None:
    seen: list[int | None] = []

    def judge(job: Job, changes: ChangeSet, sink: Sink) -> None:
        assert job.purse.reserve(400_000)
        job.purse.settle(400_000, price)

    def live(job: Job, changes: ChangeSet, sink: Sink) -> None:
        seen.append(Budget.beside(job.purse, None, judged=False).usd_micros)

    evaluate(job(), CHANGES, lambda row: None, judge=judge, live=live)
    assert seen == [left], "a price that nobody knows counts as all that was set aside"


def test_what_agents_paid_in_earlier_starts_stays_within_their_part() -> None:
    purse = Purse(1_000_000)
    purse.pay(200_000)
    assert purse.reserve(100_000)
    purse.settle(100_000, 100_000)
    budget = Budget.beside(purse, None, judged=True, paid_micros=200_000)
    assert (budget.usd_micros, budget.kept_micros) == (900_000, 180_000)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([None, None], [GIVEN, GIVEN]),
        ([VOID, VOID], [VOID, VOID]),
        ([None, VOID], [GIVEN, VOID]),
    ],
    ids=["holds", "void before the judge", "void before the agents"],
)
def test_the_approval_is_asked_again_before_each_tier_that_spends(
    words: list[Refusal | None], told: list[Approval | Refusal]
) -> None:
    seen: list[Approval | Refusal | None] = []
    answers = iter(words)

    def spend(job: Job, changes: ChangeSet, sink: Sink) -> None:
        seen.append(job.consent.live)

    evaluate(replace(job(), recheck=lambda: next(answers)), CHANGES, lambda row: None, judge=spend, live=spend)
    assert seen == told
    assert next(answers, None) is None
