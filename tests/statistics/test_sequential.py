"""Planned looks: exact spending, resumption, and what three looks save."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci.statistics.sequential import Looks, Side, Spent, Stage, conditional_power, run_looks, spending
from aces_ci.statistics.stratified import TOLERANCE, Cell, exact_test, null_law
from tests.statistics.populations import Draw, binary, items

LOOKS = (3, 5, 8)


def staged(draw: Draw, looks: tuple[int, ...] = LOOKS) -> list[Stage]:
    starts = (0, *looks[:-1])
    return [
        Stage(attempts=last - first, cells=draw.cells(first, last)) for first, last in zip(starts, looks, strict=True)
    ]


def run(draw: Draw, **changes: object) -> Looks:
    return run_looks(staged(draw), cap=8, **changes)  # type: ignore[arg-type]


def test_one_look_is_the_fixed_exact_test() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        draw = binary("beta.8", 4, 5, -0.3, rng)
        fixed = exact_test(draw.cells())
        looked = run_looks([Stage(attempts=5, cells=draw.cells())], cap=5)
        assert looked.p_lower == pytest.approx(fixed.p_lower, abs=1e-12)
        assert (looked.crossed is Side.LOWER) == (fixed.p_lower <= 0.025 + TOLERANCE)


def test_spending_is_pococks_and_ends_at_alpha() -> None:
    assert spending(0.0, 0.025) == 0.0
    assert spending(1.0, 0.025) == pytest.approx(0.025)
    assert spending(3 / 8, 0.025) == pytest.approx(0.025 * np.log(1 + (np.e - 1) * 3 / 8))
    assert spending(9 / 8, 0.025) == pytest.approx(0.025)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), min_size=2, max_size=2))
def test_exact_size_of_all_looks_together_by_walking_every_path(margins: list[list[int]]) -> None:
    """Two looks, two cases of 2 + 2 trials: every combination of totals, weighted by its null probability."""
    rejected = {Side.LOWER: 0.0, Side.HIGHER: 0.0}
    alpha, spent = 0.2, None

    def laws(ones: int) -> list[tuple[float, Cell]]:
        rows = []
        for passes in range(max(0, ones - 2), min(2, ones) + 1):
            a = (1.0,) * passes + (0.0,) * (2 - passes)
            b = (1.0,) * (ones - passes) + (0.0,) * (2 - ones + passes)
            one = Cell(key=("c", "h", "m"), a=a, b=b)
            rows.append((float(null_law(one, 1)[0][passes]), one))
        return rows

    for p1, c1 in laws(margins[0][0] + 1):
        for p2, c2 in laws(margins[0][1] + 1):
            for p3, c3 in laws(margins[1][0] + 1):
                for p4, c4 in laws(margins[1][1] + 1):
                    stages = [Stage(attempts=2, cells=(c1, c2)), Stage(attempts=2, cells=(c3, c4))]
                    looks = run_looks(stages, cap=4, alpha_lower=alpha, alpha_higher=alpha)
                    assert looks.spent.lower <= spending(looks.look / 2, alpha) + 2 * TOLERANCE
                    if looks.crossed is None:
                        spent = looks.spent
                    else:
                        rejected[looks.crossed] += p1 * p2 * p3 * p4
    assert rejected[Side.LOWER] <= alpha + 4 * TOLERANCE
    assert rejected[Side.HIGHER] <= alpha + 4 * TOLERANCE
    if spent is not None:
        assert spent.lower == pytest.approx(rejected[Side.LOWER], abs=1e-9), "what is booked is what is spent"
        assert spent.higher == pytest.approx(rejected[Side.HIGHER], abs=1e-9)


def test_a_crossing_and_a_stagewise_p_below_the_spent_alpha_are_one_event() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(300):
        looks = run(binary("beta.8", 4, 8, -0.35, rng))
        bound = spending(LOOKS[looks.look - 1] / 8, 0.025)
        assert (looks.crossed is Side.LOWER) == (looks.p_lower <= bound + TOLERANCE)
        seen.add((looks.crossed, looks.look))
    assert {(Side.LOWER, 1), (Side.LOWER, 2), (Side.LOWER, 3), (None, 3)} <= seen


def test_three_looks_save_a_quarter_at_a_true_drop_of_forty_points_and_keep_the_power() -> None:
    rng, used, found, lifts = np.random.default_rng(51), 0, 0, 0.0
    runs = 600
    for _ in range(runs):
        draw = binary("beta.8", 4, 8, -0.4, rng)
        looks = run(draw)
        used += LOOKS[looks.look - 1]
        found += looks.crossed is Side.LOWER
        lifts += float(draw.a.mean() - draw.b.mean())
    assert lifts / runs == pytest.approx(-0.4, abs=0.015), "the effect of this test is not the stated one"
    assert used / runs <= 0.75 * 8
    assert found / runs >= 0.85


def test_identical_arms_are_called_different_at_most_once_in_twenty_over_all_looks() -> None:
    rng, runs, wrong = np.random.default_rng(52), 800, 0
    for kind in ("half", "extreme"):
        for _ in range(runs):
            wrong += run(binary(kind, 4, 8, 0.0, rng)).crossed is not None
    assert wrong / (2 * runs) <= 0.05 + 3 * (0.05 * 0.95 / (2 * runs)) ** 0.5


def test_unadjusted_peeking_would_break_that_promise() -> None:
    """The sabotage: the same data at the full alpha at seven looks reject 5 % twice over, one-sided, where
    the recursion
    does not."""
    rng, runs, peeked, honest = np.random.default_rng(53), 300, 0, 0
    looks = tuple(range(2, 9))
    for _ in range(runs):
        draw = items("half", 6, 8, 0.0, rng, tied=0.0)
        peeked += any(exact_test(draw.cells(0, look), grid=5).p_lower <= 0.05 for look in looks)
        stages = staged(draw, looks)
        honest += run_looks(stages, cap=8, alpha_lower=0.05, alpha_higher=0.05, grid=5).crossed is Side.LOWER
    assert honest / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    assert peeked / runs > 0.10


def test_a_rerun_that_lost_its_trials_starts_from_the_spent_alpha() -> None:
    """Three fresh reruns of unchanged skills: without the carried spending the promise is broken
    threefold."""
    rng, runs, fresh, carried = np.random.default_rng(54), 400, 0, 0
    for _ in range(runs):
        spent = Spent()
        hit = {"fresh": False, "carried": False}
        for _ in range(3):
            draw = items("half", 6, 5, 0.0, rng, tied=0.0)
            stage = [Stage(attempts=5, cells=draw.cells())]
            hit["fresh"] |= run_looks(stage, cap=5, grid=5).crossed is not None
            looks = run_looks(stage, cap=5, spent=spent, grid=5)
            spent = looks.spent
            hit["carried"] |= looks.crossed is not None
        fresh += hit["fresh"]
        carried += hit["carried"]
    assert carried / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    assert fresh / runs > 0.09


def test_resuming_with_the_trials_is_the_same_as_never_having_stopped() -> None:
    draw = binary("beta.8", 4, 8, -0.3, np.random.default_rng(6))
    stages = staged(draw)
    assert run_looks(stages, cap=8) == run_looks([*stages[:1], *stages[1:]], cap=8)
    first = run_looks(stages[:1], cap=8)
    assert first.look == 1
    assert run_looks(stages, cap=8).spent.lower >= first.spent.lower


def test_spent_alpha_never_lets_a_later_look_cross_again() -> None:
    """All of alpha is gone: even a complete split does not cross."""
    split = [
        Stage(attempts=8, cells=tuple(Cell(key=(f"c{i}", "h", "m"), a=(0.0,) * 8, b=(1.0,) * 8) for i in range(4)))
    ]
    assert run_looks(split, cap=8).crossed is Side.LOWER
    assert run_looks(split, cap=8, spent=Spent(lower=0.026, higher=0.026)).crossed is None


def test_futility_speaks_where_nothing_is_to_be_expected_and_not_where_something_is() -> None:
    flat = [
        Stage(
            attempts=3,
            cells=tuple(Cell(key=(f"c{i}", "h", "m"), a=(1.0, 0.0, 1.0), b=(1.0, 0.0, 1.0)) for i in range(4)),
        )
    ]
    assert run_looks(flat, cap=8).futile
    leaning = [
        Stage(
            attempts=3,
            cells=tuple(Cell(key=(f"c{i}", "h", "m"), a=(0.0, 0.0, 1.0), b=(1.0, 0.0, 1.0)) for i in range(4)),
        )
    ]
    assert not run_looks(leaning, cap=8).futile
    assert conditional_power(2.5, 0.5, 0.025) > 0.8
    assert conditional_power(0.0, 0.375, 0.025) < 0.05
