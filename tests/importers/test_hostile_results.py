"""Results that no honest tool writes, and errors of limits in every shape: a figure, or none with its reason."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.wire import to_line
from aces_ci.importers._figures import LABEL, LONGEST, limited, number
from aces_ci.importers._figures import figure as figure_of

LIMITS: list[object] = [
    "429 Too Many Requests",
    "HTTP 429",
    "API Error: status code: 429",
    "Error: 529 overloaded",
    "You've hit your usage limit",
    "The model is currently overloaded",
    "You exceeded your current quota",
    {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}},
    {"status": 429},
    {"code": "429", "message": "no"},
    [{"message": "fine"}, {"message": "Too many requests"}],
    ["RESOURCE_EXHAUSTED"],
    {"errors": [{"detail": {"http_status": 529}}]},
]
OTHERS: list[object] = [
    'File "run.py", line 429, in main',
    "AssertionError: 429 files were expected",
    "line 529: overloaded function `f`",
    "no matching overloaded method",
    "Disk quota exceeded",
    "turn limit reached",
    "RecursionError: recursion limit exceeded",
    {"message": "exit 1", "line": 429},
    {"count": 429},
    {"code": True},
    [],
    {},
    None,
    429,
]


@pytest.mark.parametrize("error", LIMITS, ids=range(len(LIMITS)))
def test_a_limit_is_seen_in_every_shape_of_an_error(error: object) -> None:
    assert limited(error)


@pytest.mark.parametrize("error", OTHERS, ids=range(len(OTHERS)))
def test_a_number_or_a_limit_of_the_run_itself_is_none(error: object) -> None:
    assert not limited(error)


def test_an_error_that_holds_itself_many_times_is_looked_at_for_a_while_only() -> None:
    error: list[Any] = []
    for _ in range(40):
        error = [error, error]
    assert not limited(error)


def figures(data: Any) -> list[Any]:
    return [figure for importer in compose.importers() if importer.claims(data) for figure in importer.read(data, "r")]


TRIAL = {
    "trial_name": "t__a",
    "task_name": "t",
    "verifier_result": {"rewards": {"reward": 1.0}},
    "config": {"agent": {"skills": ["/s"]}},
    "exception_info": None,
}


def test_a_harbor_reward_stands_beside_a_traceback_that_only_names_a_line() -> None:
    info = {
        "exception_type": "NonZeroAgentExitCodeError",
        "exception_message": "exit 1",
        "exception_traceback": 'File "x.py", line 429\nRateLimitError handled',
        "occurred_at": "2026-01-01",
    }
    (figure,) = figures({**TRIAL, "exception_info": info})
    assert figure.value == 1.0


def test_a_limit_in_one_step_of_a_harbor_trial_is_missing() -> None:
    step = {"exception_info": {"exception_type": "ApiRateLimitError", "exception_message": "x"}}
    (figure,) = figures({**TRIAL, "step_results": [{"exception_info": None}, step]})
    assert (figure.value, "missing" in figure.because) == (None, True)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), True, "1", None, [], {}])
def test_what_is_no_finite_number_is_none(value: object) -> None:
    assert number(value) is None


ODD: tuple[Any, ...] = (10**400, -1, 1e308, "\ud800", "\0", True, None, [], {}, [[]], {"a": 1}, "x" * 5000)


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield node, key
        yield from places(node[key])


def test_any_value_in_any_place_of_a_result_gives_figures_that_can_be_written(root: Path) -> None:
    """Every place of every sample, with every odd value: no crash, no figure that is no number."""
    for path in sorted((root / "fixtures/results").rglob("*.json")):
        sample = json.loads(path.read_bytes())
        for number_ in range(min(sum(1 for _ in places(sample)), 40)):
            for odd in ODD:
                data = copy.deepcopy(sample)
                node, key = next(each for index, each in enumerate(places(data)) if index == number_)
                node[key] = odd
                for figure in figures(data):
                    assert figure.value is None or abs(figure.value) < float("inf")
                    to_line(figure).encode()


@pytest.mark.parametrize("length", [0, 1, 270, 277, 278, 279, 5_000])
def test_a_reason_of_any_length_keeps_the_word_that_the_figure_is_unverified(length: int) -> None:
    because = figure_of("s", "t", "k", "m", "a", None, because="x" * length).because
    assert because.endswith(LABEL)
    assert len(because) <= LONGEST
