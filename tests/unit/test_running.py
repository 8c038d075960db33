"""Turns: whose agent runs, and that nobody is left waiting for one."""

from __future__ import annotations

import threading
from collections.abc import Callable

from aces_ci.core.plan import PlannedTrial
from aces_ci.tiers.running import Running, Turn
from tests.unit.test_live_tier import plan


def line(workers: int, slots: int, attempt: Callable[[Turn], object]) -> tuple[Running[object], list[PlannedTrial]]:
    running: Running[object] = Running(workers, slots, lambda planned, slot, turn: attempt(turn))
    planned = list(plan(count=3).trials)
    running.prepare(iter(planned))
    return running, planned


def until(running: Running[object], holds: Callable[[], bool]) -> None:
    while not holds():
        running.wait()


def test_turns_come_in_the_order_of_the_plan_and_one_is_free_again_when_its_agent_ends() -> None:
    go = threading.Event()

    def attempt(turn: Turn) -> object:
        turn.wait()
        go.wait(10)
        turn.over()
        return None

    running, planned = line(1, 3, attempt)
    started: list[PlannedTrial] = []
    until(running, lambda: bool(started.extend(running.start()) or started))
    assert started == planned[:1] and list(running.start()) == [] and running.busy
    go.set()
    until(running, lambda: bool(started.extend(running.start()) or len(started) == 3))
    assert set(map(id, started)) == set(map(id, planned[:3]))
    running.close()


def test_closing_refuses_whoever_waits_and_whoever_comes_to_wait() -> None:
    answers: list[tuple[bool, bool]] = []

    def attempt(turn: Turn) -> object:
        answers.append((turn.wait(), turn.wait()))
        return None

    running, _ = line(1, 4, attempt)
    running.close()
    assert answers == [(False, False)] * 4 and not running.busy


def test_a_slot_is_free_for_the_next_once_its_trial_is_done_with() -> None:
    running, planned = line(4, 2, lambda turn: turn.wait() and turn.over())
    ended: list[PlannedTrial] = []
    rest = iter(planned[2:5])
    while len(ended) < 5:
        list(running.start())
        ended += [row[0] for row in running.ended()]
        running.prepare(rest)
        if len(ended) < 5:
            running.wait()
    assert set(map(id, ended)) == set(map(id, planned[:5])) and len(running) == 0
    running.close()
