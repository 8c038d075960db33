"""Agents and judges of one run, side by side, never spend more together than its budget."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.spending.price import Price
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import Budget
from tests.fakes.sandbox import World
from tests.unit.test_live_tier import plan, run

CAP = 100_000


class Bill:
    """What providers billed, whoever asked them."""

    def __init__(self) -> None:
        self.agents = self.judge = 0
        self.lock = threading.Lock()
        self.begun = threading.Event()

    def agent(self, trial: str, micros: int) -> None:
        with self.lock:
            self.agents += micros
        self.begun.set()

    @property
    def total(self) -> int:
        return self.agents + self.judge


class Dear:
    """A judge's provider that bills the whole of what was set aside for it."""

    name, model = "dear", "dear-1"

    def __init__(self, bill: Bill, micros: int) -> None:
        self.bill, self.micros = bill, micros

    def ask(self, question: Question) -> Answer:
        self.bill.begun.wait(2)
        with self.bill.lock:
            self.bill.judge += self.micros
        return Answer(item=question.item, vote=question.vote, reply={"x": 1}, usd_micros=self.micros)

    def close(self) -> None:
        pass


def judge(bill: Bill, purse: Purse) -> Asker:
    # A token costs a millionth; the prompt is bounded by about a thousand tokens, so 1,500 is below the bound.
    price = Price(model="*", input=1000, output=1000, cache_read=1000, cache_write=1000)
    return Asker(provider=Dear(bill, 1_400), purse=purse, price=price, concurrency=4)


def question(number: int) -> Question:
    return Question(item=f"q{number}", system="", user=str(number), schema={}, max_tokens=400)


@pytest.mark.parametrize("seed", range(3))
def test_agents_and_a_judge_at_once_stay_within_one_cap(seed: int) -> None:
    bill, purse = Bill(), Purse(CAP)
    asker = judge(bill, purse)
    refused: list[Answer] = []

    def agent(world: World) -> int:
        world.provider = bill.agent
        for _ in range(4):
            world.ask(tokens=1_500)
        return 0

    with ThreadPoolExecutor(max_workers=2) as pool:
        asked = [pool.submit(asker.ask, [question(100 * seed + 40 * part + n) for n in range(40)]) for part in (0, 1)]
        ended, _, _ = run(
            agent, plan(count=4, workers=4, looks=(2, 4)), budget=Budget.beside(purse, None, judged=False), purse=purse
        )
        refused = [answer for each in asked for answer in each.result() if answer.reply is None]
    assert bill.total <= CAP
    assert bill.agents and bill.judge, "both did spend"
    assert refused or "budget" in ended.stopped or ended.started == 32
    assert purse.reserved == 0
    assert purse.spent == bill.total


def test_what_the_judge_spent_is_not_there_for_the_next_agents() -> None:
    bill, purse = Bill(), Purse(10_000)
    assert purse.reserve(10_000)
    purse.settle(10_000, 10_000)
    ended, _, _ = run(lambda world: 0, plan(), budget=Budget(usd_micros=10_000), purse=purse)
    assert (ended.started, ended.stopped) == (0, "the budget of 0.01 USD is spent")
    assert judge(bill, purse).ask([question(1)])[0].error == "the budget is used up"
    assert bill.total == 0


def test_agents_leave_a_part_for_those_who_grade_them() -> None:
    bill, purse = Bill(), Purse(CAP)

    def agent(world: World) -> int:
        world.provider = bill.agent
        world.ask(tokens=5_000)
        return 0

    budget = Budget.beside(purse, None, judged=True)
    ended, _, _ = run(agent, plan(count=4, looks=(2, 8)), budget=budget, purse=purse)
    assert ended.stopped == "the budget of 0.10 USD is spent, but for 0.02 USD that are kept for grading"
    assert judge(bill, purse).ask([question(1)])[0].reply is not None, "and there is something left for them"
    assert bill.total <= CAP
    assert Budget.beside(purse, None, judged=False).kept_micros == 0
    assert Budget.beside(Purse(None), None, judged=True).usd_micros is None


def test_a_later_start_begins_with_what_earlier_ones_spent() -> None:
    purse = Purse(10_000, 9_000)
    assert not purse.reserve(1_001)
    assert purse.reserve(1_000)
    assert purse.empty()


def test_money_that_is_only_set_aside_is_waited_for() -> None:
    purse = Purse(1_000)
    assert purse.reserve(900)
    assert not purse.reserve(200), "not without patience"
    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(purse.reserve, 200, 30.0)
        purse.settle(900, 100)
        assert waiting.result(timeout=30)
    assert (purse.spent, purse.reserved) == (100, 200)


def test_money_that_is_spent_is_not_waited_for_and_what_never_comes_back_only_once() -> None:
    purse = Purse(1_000, 900)
    begun = time.monotonic()
    assert not purse.reserve(200, 30.0), "it can never fit"
    lost = Purse(1_000)
    assert lost.reserve(900)
    assert not lost.reserve(200, 0.05)
    assert not lost.reserve(200, 30.0)
    assert time.monotonic() - begun < 15
