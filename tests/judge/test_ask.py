"""Asking: equal questions once, answers from the cache only where it can be believed, money reserved before it goes."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from aces_ci.core.asking.answer_cache import AnswerCache
from aces_ci.core.asking.question import Question
from aces_ci.core.spending.price import bound
from aces_ci.tiers.ask import OVER_BUDGET
from aces_ci.tiers.purse import Purse
from tests.judge.bench import PRICE, Scripted, an_asker, reply


def questions(count: int = 3, **changes: Any) -> list[Question]:
    fields: dict[str, Any] = {"system": "rules", "schema": {"type": "object"}, "max_tokens": 100, **changes}
    return [
        Question(item=f"rubric/criterion_{number}@1", user=f"the skill, {number}", **fields) for number in range(count)
    ]


def test_equal_questions_are_asked_once_and_answered_in_order() -> None:
    provider = Scripted()
    one, two, _ = questions()
    answers = an_asker(provider).ask([one, two, one, one])
    assert len(provider.asked) == 2
    assert [answer.item for answer in answers] == [one.item, two.item, one.item, one.item]


def test_another_vote_is_another_question() -> None:
    provider = Scripted()
    an_asker(provider).ask([*questions(1), *questions(1, vote=2)])
    assert len(provider.asked) == 2


def test_what_was_answered_is_not_asked_again() -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept).ask(questions())
    second = Scripted()
    answers = an_asker(second, kept=kept).ask(questions())
    assert second.asked == []
    assert all(answer.cached and answer.reply for answer in answers)
    assert [answer.usd_micros for answer in answers] == [100, 100, 100], "what it once cost"


@pytest.mark.parametrize("part", ["system", "user", "schema", "max_tokens", "vote", "item"])
def test_a_question_that_differs_in_any_part_is_not_found(part: str) -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept).ask(questions(1))
    other = {
        "system": "other rules",
        "user": "other skill",
        "schema": {"type": "array"},
        "max_tokens": 101,
        "vote": 2,
        "item": "rubric/criterion_0@2",
    }[part]
    fields: dict[str, Any] = {
        "item": "rubric/criterion_0@1",
        "user": "the skill, 0",
        "system": "rules",
        "schema": {"type": "object"},
        "max_tokens": 100,
        part: other,
    }
    second = Scripted()
    an_asker(second, kept=kept).ask([Question(**fields)])
    assert len(second.asked) == 1


def test_another_model_is_not_answered_from_the_cache() -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept).ask(questions(1))
    second = Scripted()
    second.model = "scripted-2"
    an_asker(second, kept=kept).ask(questions(1))
    assert len(second.asked) == 1


def test_errors_are_never_kept() -> None:
    kept: list[str] = []
    an_asker(Scripted(lambda question: "the model refused to answer"), kept=kept).ask(questions())
    assert kept == []
    second = Scripted()
    assert all(answer.reply for answer in an_asker(second, kept=kept).ask(questions()))
    assert len(second.asked) == 3


def _flipped(line: str) -> str:
    return line.replace('"score": 8', '"score": 9')


def _replayed(line: str) -> str:
    """Under another key: an answer that was given about something else."""
    kept = json.loads(line)
    return json.dumps({**kept, "key": kept["key"][::-1]}, sort_keys=True)


@pytest.mark.parametrize(
    "harm",
    [_flipped, _replayed, lambda line: line[: len(line) // 2], lambda line: line.replace('"v": 1', '"v": 2')],
    ids=["flipped", "replayed under another key", "torn", "another version"],
)
def test_a_line_that_was_tampered_with_is_a_miss(harm: Any) -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept).ask(questions(1))
    harmed = [harm(line) for line in kept]
    assert harmed != kept
    second = Scripted()
    asker = an_asker(second, kept=harmed)
    assert asker.cache is not None and asker.cache.refused == 1
    asker.ask(questions(1))
    assert len(second.asked) == 1


def test_a_line_whose_answer_cannot_be_used_is_a_miss() -> None:
    strict = {"type": "object", "properties": {"score": {"type": "integer"}}}
    kept: list[str] = []
    an_asker(Scripted(lambda question: {"score": "eight"}), kept=kept).ask(questions(1, schema=strict))
    assert len(kept) == 1, "as an older version kept it"
    second = Scripted()
    assert an_asker(second, kept=kept).ask(questions(1, schema=strict))[0].cached is False
    assert len(second.asked) == 1


def test_a_kept_answer_with_half_of_a_surrogate_pair_can_be_written() -> None:
    kept: list[str] = []
    an_asker(Scripted(lambda question: reply(question, reason="\ud800")), kept=kept).ask(questions(1))
    found = an_asker(Scripted(), kept=kept).ask(questions(1))[0]
    assert found.cached and found.reply is not None and found.reply["reason"] == "\ufffd"


def test_an_entry_of_a_fork_is_a_miss_in_a_trusted_run_even_with_the_same_key() -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept, trust="fork").ask(questions(1))
    second = Scripted()
    an_asker(second, kept=kept, trust="own").ask(questions(1))
    assert len(second.asked) == 1
    relabelled = [line.replace('"trust": "fork"', '"trust": "own"') for line in kept[:1]]
    assert AnswerCache("\n".join(relabelled), "sk-canary-0123456789abcdef", trust="own").refused == 1


def test_a_line_made_with_another_provider_key_is_a_miss() -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept, secret="sk-of-somebody-else").ask(questions(1))
    assert AnswerCache(kept[0], "sk-canary-0123456789abcdef", trust="own").refused == 1


def test_garbage_in_the_cache_is_counted_and_harms_nothing() -> None:
    lines = ["", "[]", "null", '{"mac": 3}', '{"mac": "é"}', "[" * 5_000, '{"v":1,"mac":"00"}']
    cache = AnswerCache("\n".join(lines), "secret-of-some-length", trust="own")
    assert cache.refused == len(lines) - 1


def test_the_key_is_in_no_cached_line() -> None:
    kept: list[str] = []
    an_asker(Scripted(), kept=kept).ask(questions(1))
    assert kept and "canary" not in kept[0]


def test_the_first_question_goes_alone_and_the_rest_within_the_bound() -> None:
    under_way, most, first_alone = 0, 0, True
    lock = threading.Lock()

    def say(question: Question) -> dict[str, Any]:
        nonlocal under_way, most, first_alone
        with lock:
            under_way += 1
            most = max(most, under_way)
            if question.item.startswith("rubric/criterion_0"):
                first_alone = under_way == 1
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return reply(question)

    provider = Scripted(say)
    an_asker(provider, concurrency=3).ask(questions(10))
    assert provider.asked[0].item.startswith("rubric/criterion_0") and first_alone
    assert most == 3


def test_a_budget_is_reserved_before_each_call_and_never_exceeded() -> None:
    one = questions(1)[0]
    # A token a byte, the provider's own overhead, and all the output that is allowed.
    size = len(one.system) + len(one.user) + len(json.dumps(one.schema)) + 1_000
    most = bound(PRICE, size, one.max_tokens)
    provider = Scripted(usd_micros=most)
    asker = an_asker(provider, cap=most * 3 + most // 2, concurrency=8)
    answers = asker.ask(questions(10))
    assert len(provider.asked) == 3
    assert asker.purse.spent == 3 * most and asker.purse.reserved == 0
    assert sorted(str(answer.error) for answer in answers if answer.error) == [OVER_BUDGET] * 7


def test_a_call_of_unknown_cost_settles_at_what_was_reserved() -> None:
    provider = Scripted(usd_micros=None)
    asker = an_asker(provider, cap=10_000)
    asker.ask(questions(1))
    assert asker.purse.spent > 1_000 and asker.purse.reserved == 0


@pytest.mark.parametrize("text", ["word " * 50, "é" * 50, "\u0e33" * 50, "\U0001f9ff" * 50, "\ud800" * 50])
def test_a_prompt_is_bounded_by_its_bytes(text: str) -> None:
    shorter, longer = (Question(item="a", system="", user=each).most_input_tokens for each in ("", text))
    assert longer - shorter == len(text.encode("utf-8", "replace")) >= 50


def test_every_try_is_set_aside_before_the_first_and_lost_ones_are_spent() -> None:
    one = questions(1)[0]
    most = bound(PRICE, one.most_input_tokens, one.max_tokens)
    provider = Scripted(usd_micros=7)
    asker = an_asker(provider, cap=4 * most - 1)
    asker.tries = 4
    assert asker.ask([one])[0].error == OVER_BUDGET and provider.asked == []
    asker = an_asker(provider, cap=4 * most)
    asker.tries = 4
    real = provider.ask
    provider.ask = lambda q: replace(real(q), unsettled=2)  # type: ignore[method-assign]
    assert asker.ask([one])[0].reply is not None
    assert asker.purse.spent == 7 + 2 * most and asker.purse.reserved == 0


def test_a_call_that_raises_settles_at_what_was_reserved_and_stops_the_rest() -> None:
    def say(question: Question) -> dict[str, Any]:
        raise KeyboardInterrupt

    provider = Scripted(say)
    asker = an_asker(provider, cap=100_000)
    with pytest.raises(KeyboardInterrupt):
        asker.ask(questions(5))
    assert len(provider.asked) == 1
    assert asker.purse.spent > 0 and asker.purse.reserved == 0


def test_a_purse_without_a_cap_counts_all_the_same() -> None:
    purse = Purse(None)
    assert purse.reserve(10**12)
    purse.settle(10**12, 5)
    assert (purse.spent, purse.reserved) == (5, 0)
