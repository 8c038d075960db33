"""Starts go first: other work waits for most of them, and never for ever."""

from __future__ import annotations

import threading
import time

import pytest

from aces_ci.sandboxes._docker import precedence
from aces_ci.sandboxes._docker.precedence import Precedence


def _in_background(work: Precedence) -> threading.Thread:
    thread = threading.Thread(target=work.give_way)
    thread.start()
    return thread


def test_other_work_waits_while_more_starts_than_leave_room_are_under_way() -> None:
    work = Precedence(beside=1)
    with work.starting():
        with work.starting():
            other = _in_background(work)
            other.join(0.3)
            assert other.is_alive()
        other.join(2)
        assert not other.is_alive(), "one start leaves room for it"


def test_a_start_that_comes_right_after_is_waited_for_too() -> None:
    work = Precedence(beside=0)
    other = _in_background(work)
    with work.starting():
        other.join(0.3)
        assert other.is_alive()
    other.join(2)
    assert not other.is_alive()


def test_a_start_that_hangs_is_not_waited_for_longer_than_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "PATIENCE_SECONDS", 0.2)
    work = Precedence(beside=0)
    with work.starting():
        begun = time.monotonic()
        work.give_way()
        assert 0.2 <= time.monotonic() - begun < 2


def test_a_start_that_fails_is_over() -> None:
    work = Precedence(beside=0)
    with pytest.raises(RuntimeError), work.starting():
        raise RuntimeError
    other = _in_background(work)
    other.join(2)
    assert not other.is_alive()
