"""One run, one budget: tiers and shards divide it, and each asks again before it spends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aces_ci.core.approval import Approval, Consent, Refusal, Via
from aces_ci.core.change import Because, BecauseKind, ChangeSet, How, SkillChange
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.evidence import Evidence, Judgement, PolicySource
from aces_ci.core.slash import Purpose
from aces_ci.pipeline import Job, Sink, evaluate
from aces_ci.settings.load import load
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
    return Job(
        event=an_event(kind=EventKind.CHANGE_REQUEST, head_sha=HEAD, change_request=42, trust=Trust.FORK),
        repository=None,  # type: ignore[arg-type]
        reader=None,  # type: ignore[arg-type]
        loaded=load(overrides=(f"budget.usd={usd}",)),
        policy=PolicySource(ref="built-in defaults"),
        consent=Consent(live=GIVEN),
        **more,
    )


def spent(usd_micros: int | None, *, cached: bool = False) -> Judgement:
    return Judgement(skill="skills/a", criterion=f"c{usd_micros}{cached}", usd_micros=usd_micros, cached=cached)


@pytest.mark.parametrize(
    ("usd", "shard", "paid", "left"),
    [
        ("1", None, 0, 1_000_000),
        ("1", None, 400_000, 600_000),
        ("1", None, 2_000_000, 0),
        ("1", (2, 8), 0, 125_000),
        ("1", (8, 8), 25_000, 100_000),
        ("0.1", (1, 3), 0, 33_333),
        ("null", (1, 8), 5, None),
    ],
)
def test_what_is_left(usd: str, shard: tuple[int, int] | None, paid: int, left: int | None) -> None:
    assert job(usd, shard=shard, paid_micros=paid).purse_micros == left


def test_all_shards_together_have_no_more_than_the_budget() -> None:
    for count in (1, 2, 3, 7, 256):
        parts = [job("10", shard=(index + 1, count)).purse_micros or 0 for index in range(count)]
        assert sum(parts) <= 10_000_000
        assert len(set(parts)) == 1


def test_what_the_judge_paid_is_not_there_for_the_agents() -> None:
    rows: list[Evidence] = []
    seen: list[int | None] = []

    def judge(job: Job, changes: ChangeSet, sink: Sink) -> None:
        seen.append(job.purse_micros)
        for row in (spent(300_000), spent(50_000), spent(None), spent(100_000, cached=True)):
            sink(row)

    def live(job: Job, changes: ChangeSet, sink: Sink) -> None:
        seen.append(job.purse_micros)

    evaluate(job(), CHANGES, rows.append, judge=judge, live=live)
    assert seen == [1_000_000, 650_000]
    assert sum(isinstance(row, Judgement) for row in rows) == 4, "and every row is kept"


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
