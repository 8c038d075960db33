"""Money: never more than the cap goes out, and everything that went out is charged."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import Cap, Limits
from aces_ci.core.spending.exchange import Outcome, Protocol
from aces_ci.core.spending.price import Price, bound, cost
from aces_ci.core.spending.price_table import TABLE, price_of
from aces_ci.core.trial import Usage
from aces_ci.gateway.ledger import Ledger, OverBudgetError
from tests.fakes.upstream import Reply
from tests.gateway.rig import MODEL, ORDER, PRICE, rig

LIMITS = Limits(max_output=100, concurrent=200, requests=1000)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_a_hundred_parallel_requests_cannot_pass_the_cap_together(protocol: Protocol) -> None:
    async def scenario() -> None:
        cap = 60_000
        dearest = Reply(usage=(1500, 100, 0, 0), gap=0.05)
        async with rig(lambda seen: dearest, caps={"run": cap, "trial": 10**9}, limits=LIMITS) as it:
            answers = await asyncio.gather(*(it.post(protocol) for _ in range(100)))
            account = it.gateway.ledger.account("run")
            charged = sum(exchange.charged_micros or 0 for exchange in it.exchanges)
            assert 0 < account.spent == charged <= cap
            assert account.held == 0
            assert charged == len(it.upstream.seen) * cost(PRICE, Usage(input_tokens=1500, output_tokens=100))
            assert 0 < len(it.upstream.seen) < 100
            assert {status for status, _ in answers} == {200, 403}
            # None was sent away while the money of the others was only set aside.
            reserved = max(item.reserved_micros or 0 for item in it.exchanges if item.outcome is Outcome.COMPLETE)
            assert cap - charged < reserved

    asyncio.run(scenario())


def test_the_refusal_names_the_scope_and_the_trial_says_that_it_ran_out() -> None:
    async def scenario() -> None:
        async with rig(caps={"run": 10**9, "arm:pdf/baseline": 1}) as it:
            status, body = await it.post(Protocol.CHAT)
            assert status == 403
            assert "arm:pdf/baseline" in body["error"]["message"]
            assert it.exchanges[0].outcome is Outcome.OVER_BUDGET
            record = await it.gateway.disarm("s0")
            assert record.over_budget and record.forwarded == 0 and record.charged_micros == 0
            assert it.gateway.ledger.account("run").spent == 0

    asyncio.run(scenario())


def test_trials_that_share_a_scope_share_its_money() -> None:
    async def scenario() -> None:
        async with rig(caps={"run": 50_000}) as it:
            await it.post(Protocol.CHAT)
            first = (await it.gateway.disarm("s0")).charged_micros
            it.gateway.arm(replace(ORDER, trial="trial-1", caps=(Cap(scope="run", usd_micros=50_000),)))
            await it.post(Protocol.CHAT)
            second = (await it.gateway.disarm("s0")).charged_micros
            assert first and second
            assert it.gateway.ledger.account("run").spent == first + second

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(cut_after=2), Outcome.UPSTREAM_FAILED),
        (Reply(usage=None), Outcome.COMPLETE),
        (Reply(raw=b"event: x\ndata: {broken\n\n", content_type="text/event-stream"), Outcome.SURPRISE),
    ],
)
@pytest.mark.parametrize("protocol", list(Protocol))
def test_an_answer_without_usage_is_charged_at_its_reservation_and_never_at_nothing(
    protocol: Protocol, reply: Reply, outcome: Outcome
) -> None:
    async def scenario() -> None:
        async with rig(lambda seen: reply, caps={"run": 10**9}) as it:
            await it.stream(protocol)
            exchange = it.exchanges[0]
            assert exchange.outcome is outcome
            assert exchange.charged_micros == exchange.reserved_micros
            assert it.gateway.ledger.account("run").spent == exchange.reserved_micros
            assert (await it.gateway.disarm("s0")).unsettled == 1

    asyncio.run(scenario())


def test_a_storm_of_errors_costs_nothing_and_an_unanswered_request_may_have_cost_everything() -> None:
    async def scenario() -> None:
        async with rig(lambda seen: Reply(status=500), caps={"run": 10**9}) as it:
            status, _ = await it.post(Protocol.MESSAGES)
            assert status == 500
            assert (it.exchanges[0].attempts, it.exchanges[0].charged_micros) == (3, 0)
        async with rig(lambda seen: Reply(cut_after=-1), caps={"run": 10**9}) as it:
            status, _ = await it.post(Protocol.MESSAGES)
            exchange = it.exchanges[0]
            assert (status, exchange.attempts) == (502, 3)
            assert exchange.charged_micros == 3 * (exchange.reserved_micros or 0)
            assert it.gateway.ledger.account("run").spent == exchange.charged_micros

    asyncio.run(scenario())


def test_a_retry_that_the_budget_no_longer_covers_is_not_made() -> None:
    async def scenario() -> None:
        async with rig(lambda seen: Reply(cut_after=-1), caps={"run": 15_000}) as it:
            await it.post(Protocol.MESSAGES)
            exchange = it.exchanges[0]
            assert exchange.outcome is Outcome.OVER_BUDGET
            assert len(it.upstream.seen) == 1
            assert exchange.charged_micros == it.gateway.ledger.account("run").spent > 0

    asyncio.run(scenario())


def test_a_dollar_budget_for_a_model_without_a_price_is_refused_before_anything_is_spent() -> None:
    async def scenario() -> None:
        async with rig(order=None, prices=()) as it:
            capped = replace(ORDER, caps=(Cap(scope="run", usd_micros=1),))
            with pytest.raises(UsageError, match="no price is known"):
                it.gateway.arm(capped)
            it.gateway.arm(ORDER)
            assert (await it.post(Protocol.CHAT))[0] == 200
            assert (await it.gateway.disarm("s0")).charged_micros is None

    asyncio.run(scenario())


def test_limits_hold_whatever_a_request_costs() -> None:
    async def scenario() -> None:
        limits = Limits(requests=2, max_output=10)
        async with rig(limits=limits) as it:
            assert [(await it.post(Protocol.CHAT))[0] for _ in range(3)] == [200, 200, 403]
            assert it.exchanges[2].outcome is Outcome.LIMITED
        async with rig(limits=Limits(request_bytes=100, max_output=10)) as it:
            assert [(await it.post(Protocol.CHAT))[0] for _ in range(2)] == [200, 403]
        async with rig(limits=Limits(seconds=0.0)) as it:
            assert (await it.post(Protocol.CHAT))[0] == 401

    asyncio.run(scenario())


def test_a_flood_beyond_the_limits_is_counted_and_not_recorded_line_by_line() -> None:
    async def scenario() -> None:
        async with rig(limits=Limits(requests=5, max_output=10)) as it:
            for _ in range(60):
                await it.post(Protocol.CHAT)
            assert len(it.upstream.seen) == 5
            assert len(it.exchanges) == 25
            assert (await it.gateway.disarm("s0")).exchanges == 60

    asyncio.run(scenario())


def test_more_parallel_requests_than_places_wait_for_one() -> None:
    async def scenario() -> None:
        slow = Reply(gap=0.02)
        async with rig(lambda seen: slow, limits=Limits(concurrent=2, max_output=10)) as it:
            await asyncio.gather(*(it.stream(Protocol.CHAT) for _ in range(8)))
            assert it.upstream.most_streams == 2
            assert len(it.upstream.seen) == 8

    asyncio.run(scenario())


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 4000)), max_size=30),
)
def test_settling_at_most_the_reservation_never_passes_the_cap(cap: int, requests: list[tuple[int, int]]) -> None:
    ledger = Ledger()
    ledger.open((Cap(scope="a", usd_micros=cap), Cap(scope="b", usd_micros=10**9)))
    held = []
    for reserve, used in requests:
        try:
            held.append((ledger.reserve(("b", "a"), reserve), min(used, reserve)))
        except OverBudgetError:
            continue
        account = ledger.account("a")
        assert account.spent + account.held <= cap
        if len(held) > 3:
            ledger.settle(*held.pop(0))
    for reservation, used in held:
        ledger.settle(reservation, used)
    assert ledger.account("a").spent <= cap
    assert ledger.account("a").spent == ledger.account("b").spent
    assert ledger.account("a").held == ledger.account("b").held == 0


@given(st.sampled_from(TABLE), *(st.integers(0, 400_000) for _ in range(4)))
def test_no_usage_within_the_bound_costs_more_than_the_bound(
    price: Price, fresh: int, read: int, written: int, output: int
) -> None:
    usage = Usage(input_tokens=fresh, cache_read_tokens=read, cache_write_tokens=written, output_tokens=output)
    assert cost(price, usage) <= bound(price, fresh + read + written, output)
    assert cost(price, usage) <= bound(price, fresh + read + written + 1000, output)


def test_prices_are_dated_and_the_dearer_name_does_not_fall_to_the_cheaper_pattern() -> None:
    assert all(price.as_of for price in TABLE)
    for model, usd_in, usd_out in (
        ("claude-sonnet-4-5-20250929", 3, 15),
        ("claude-opus-4-1-20250805", 15, 75),
        ("claude-opus-4-5", 5, 25),
        ("claude-opus-5-5", 4, 20),
        ("claude-haiku-5-5", 0.1, 0.5),
        ("gpt-5-codex", 1.25, 10),
        ("gpt-5.4-mini", 0.75, 4.5),
        ("gpt-5.4-pro", 30, 180),
        ("gpt-5.5", 5, 30),
    ):
        price = price_of(model)
        assert price is not None and (price.input, price.output) == (usd_in * 1000, usd_out * 1000), model
    assert price_of("nobody-knows-it") is None
    assert price_of("gpt-5.5", (replace(PRICE, model="gpt-5*"),)).input == PRICE.input  # type: ignore[union-attr]


def test_cost_is_exact_and_a_started_millionth_counts() -> None:
    price = replace(PRICE, model=MODEL, input=3, output=0)
    assert cost(price, Usage(input_tokens=1)) == 1
    assert cost(PRICE, Usage(input_tokens=1, output_tokens=1, cache_read_tokens=10)) == 21
    long = price_of("claude-haiku-5-5")
    assert long is not None
    assert cost(long, Usage(input_tokens=100_001)) == 50_001
    assert cost(long, Usage(input_tokens=100_000)) == 10_000
