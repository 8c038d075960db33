"""The number of labelled rows that the documentation states is the one that can be counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import truth_rows
from tests.traces.snippets import HARNESSES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def test_the_page_states_how_many_distinct_rows_there_are() -> None:
    stated = re.search(
        r"(\d+) distinct ones over metrics and\nharnesses, (\d+) of them recorded", PAGE.read_text("utf-8")
    )
    assert stated is not None
    assert [int(number) for number in stated.groups()] == [truth_rows.total(), truth_rows.distinct("real")]


def test_all_harnesses_are_as_many_as_the_count_takes() -> None:
    assert len(HARNESSES) == truth_rows.HARNESSES


def test_a_repeated_question_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = [{"id": "a", "run": "ls", "want": 1, "why": "x"}, {"id": "b", "run": "ls", "want": 0, "why": "y"}]
    monkeypatch.setattr(truth_rows, "rows", lambda name: repeated)
    assert truth_rows.distinct("security") == 1
