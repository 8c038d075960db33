"""Intervals: never of zero width, true to their level, the closed form equal to maximisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from aces_ci.statistics.equivalence import rules_out_drop, within_margin
from aces_ci.statistics.intervals import (
    Interval,
    miettinen_nurminen,
    mover_difference,
    restricted_rates,
    satterthwaite,
    suite_interval,
)
from aces_ci.statistics.levels import level_interval
from aces_ci.statistics.population import tasks_like_these
from aces_ci.statistics.ratios import paired_ratio
from aces_ci.statistics.stratified import Cell
from tests.statistics.populations import binary, items

outcomes = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=6)
any_scores = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=6)


def cells_of(pairs: list[tuple[list[float], list[float]]]) -> list[Cell]:
    return [Cell(key=(f"c{i}", "h", "m"), a=tuple(a), b=tuple(b)) for i, (a, b) in enumerate(pairs)]


def test_restricted_rates_maximise_the_likelihood() -> None:
    rng, worst = np.random.default_rng(8), 0.0
    for _ in range(200):
        na, nb = rng.integers(1, 13, 2)
        xa, xb = rng.integers(0, na + 1), rng.integers(0, nb + 1)
        delta = float(rng.uniform(-0.95, 0.95))

        def loss(pb: float, xa: int = xa, na: int = na, xb: int = xb, nb: int = nb, delta: float = delta) -> float:
            pa = pb + delta
            terms = xlogy(xa, pa) + xlogy(na - xa, 1 - pa) + xlogy(xb, pb) + xlogy(nb - xb, 1 - pb)
            return -float(terms)

        low, high = max(0.0, -delta), min(1.0, 1 - delta)
        best = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        _, pb = restricted_rates(float(xa), float(na), float(xb), float(nb), delta)
        inside = float(np.clip(pb, low + 1e-12, high - 1e-12))
        worst = max(worst, loss(inside) - float(best.fun))
    assert worst < 1e-6


@given(st.lists(st.tuples(outcomes, outcomes), min_size=1, max_size=4))
def test_binary_interval_holds_its_point_and_is_never_of_zero_width(
    pairs: list[tuple[list[float], list[float]]],
) -> None:
    found = miettinen_nurminen(cells_of(pairs))
    assert -1 <= found.low <= found.point <= found.high <= 1
    assert found.high - found.low > 0.05


@given(st.lists(st.tuples(any_scores, any_scores), min_size=1, max_size=4))
def test_any_suite_has_an_interval_of_some_width(pairs: list[tuple[list[float], list[float]]]) -> None:
    found = suite_interval(cells_of(pairs))
    assert found is not None
    assert found.low <= found.point <= found.high
    assert found.high > found.low


def test_one_cell_of_twenty_each_is_the_published_score_interval() -> None:
    """Miettinen-Nurminen limits solve their own defining equation."""
    found = miettinen_nurminen(cells_of([([1.0] * 9 + [0.0] * 11, [1.0] * 3 + [0.0] * 17)]))
    for limit in (found.low, found.high):
        pa, pb = restricted_rates(9.0, 20.0, 3.0, 20.0, limit)
        variance = (pa * (1 - pa) + pb * (1 - pb)) / 20 * 40 / 39
        assert (found.point - limit) ** 2 / variance == pytest.approx(3.841459, rel=1e-5)


@pytest.mark.parametrize(("kind", "lift"), [("beta.8", 0.0), ("beta.8", 0.4), ("extreme", 0.2), ("easy", -0.2)])
def test_binary_interval_covers_between_94_and_99_percent_at_four_by_three(kind: str, lift: float) -> None:
    rng, runs, hits = np.random.default_rng(41), 400, 0
    for _ in range(runs):
        found = miettinen_nurminen(binary(kind, 4, 3, lift, rng).cells())
        hits += found.low <= lift <= found.high
    assert 0.94 - 0.03 <= hits / runs <= 0.99 + 0.01


def test_score_interval_covers_at_four_by_eight_and_wald_would_not_at_four_by_three() -> None:
    rng, runs, hits, wald = np.random.default_rng(114), 600, 0, 0
    for _ in range(runs):
        found = satterthwaite(items("half", 4, 8, -0.2, rng).cells())
        hits += found is not None and found.low <= -0.2 <= found.high
        draw = binary("beta.8", 4, 3, 0.2, rng)
        error = (sum(np.var(row) / 3 for row in (*draw.a, *draw.b)) ** 0.5) / 4
        wald += abs(float(draw.a.mean() - draw.b.mean()) - 0.2) <= 1.96 * error
    assert 0.93 <= hits / runs <= 0.985
    assert wald / runs < 0.92


def test_t_over_cases_covers_from_eight_and_speaks_only_with_doubt_below() -> None:
    rng, runs, hits = np.random.default_rng(61), 800, 0
    for _ in range(runs):
        found = tasks_like_these(list(rng.normal(0.2, 0.26, 8))).interval
        assert found is not None
        hits += found.low <= 0.2 <= found.high
    assert 0.93 - 0.015 <= hits / runs <= 0.97 + 0.01
    assert tasks_like_these([0.1, 0.2, 0.3]).interval is None
    few = tasks_like_these([0.1, 0.2, 0.3, 0.5])
    assert few.interval is not None and few.doubt
    tied = tasks_like_these([0.0] * 9 + [0.8, 0.7])
    assert tied.interval is None and "9 of 11" in tied.because
    assert tasks_like_these([0.2] * 25).interval is None


def test_hull_reaches_zero_and_changes_nothing_else() -> None:
    wide = Interval(point=0.3, low=0.1, high=0.5, method="m", level=0.95, n=4).hulled()
    assert (wide.low, wide.point, wide.high) == (0.0, 0.3, 0.5)


def test_ceiling_does_not_make_equivalence_out_of_too_few_runs() -> None:
    """At .98 against .83 and 4 x 3, near-constant data must not be declared equal within 10 points."""
    rng, runs, declared = np.random.default_rng(44), 250, 0
    for _ in range(runs):
        a, b = (rng.random((4, 3)) < 0.83).astype(float), (rng.random((4, 3)) < 0.98).astype(float)
        declared += within_margin(cells_of([(list(x), list(y)) for x, y in zip(a, b, strict=True)]), 0.10)
    assert declared == 0


def test_much_evidence_of_nothing_is_no_difference_and_little_is_not() -> None:
    rng = np.random.default_rng(45)
    assert within_margin(binary("easy", 50, 10, 0.0, rng).cells(), 0.10)
    assert not within_margin(binary("half", 4, 8, 0.0, rng).cells(), 0.10)
    assert not within_margin([], 0.10)


def test_rules_out_is_the_lower_end_of_the_ninety_percent_interval() -> None:
    cells = binary("half", 6, 5, 0.0, np.random.default_rng(46)).cells()
    found = miettinen_nurminen(cells, 0.90)
    assert rules_out_drop(cells) == pytest.approx(-found.low)
    assert rules_out_drop(cells_of([([1.0] * 6, [0.0] * 6)] * 4)) == 0.0
    assert rules_out_drop([]) is None


def test_mover_covers_a_difference_in_differences() -> None:
    rng, runs, hits = np.random.default_rng(98), 400, 0
    for _ in range(runs):
        new, old = (miettinen_nurminen(binary("beta.8", 4, 5, lift, rng).cells()) for lift in (0.1, 0.3))
        found = mover_difference(new, old)
        hits += found.low <= -0.2 <= found.high
    assert 0.93 <= hits / runs <= 0.985


def test_level_interval_stays_in_the_unit_interval_and_is_never_of_zero_width() -> None:
    assert level_interval([]) is None
    for row in ([1.0] * 3, [0.0] * 3, [0.9, 1.0, 0.95]):
        found = level_interval([row] * 4)
        assert found is not None
        assert 0 <= found.low <= found.point <= found.high <= 1
        assert found.high - found.low > 0.02


def test_ratio_covers_and_is_one_for_equal_arms() -> None:
    rng, runs, hits = np.random.default_rng(7), 300, 0
    for _ in range(runs):
        means = rng.uniform(20, 80, 6)
        cells = [
            Cell(
                key=(str(i), "h", "m"),
                a=tuple(0.8 * mean * rng.lognormal(-0.045, 0.3, 5)),
                b=tuple(mean * rng.lognormal(-0.045, 0.3, 5)),
            )
            for i, mean in enumerate(means)
        ]
        found = paired_ratio(cells, seed=1)
        assert found is not None
        hits += found.low <= -0.2 <= found.high
    assert 0.92 <= hits / runs <= 0.985
    assert paired_ratio([Cell(key=("c", "h", "m"), a=(5.0, 5.0), b=(5.0, 5.0))], seed=1) is None
    many = [Cell(key=(str(i), "h", "m"), a=(8.0 + i,), b=(10.0 + i,)) for i in range(30)]
    wide = paired_ratio(many, seed=1)
    assert wide is not None and wide.method == "BCa over cases" and wide.high < 0


def test_lost_runs_make_no_two_arms_alike_and_rule_out_no_drop() -> None:
    """20 cases x 10 runs, 9 of 10 against a true 6 of 10, and 70 of this arm's 80 failures lost."""
    arm = [(1.0,) * 6 + (0.0,) * (1 if case % 2 else 0) for case in range(20)]
    lost = [
        Cell(key=(str(case),), a=runs, b=(1.0,) * 9 + (0.0,), missing_a=10 - len(runs)) for case, runs in enumerate(arm)
    ]
    as_if_nothing_were_lost = [replace(cell, missing_a=0) for cell in lost]
    assert within_margin(as_if_nothing_were_lost, 0.10), "the figures alone would say so"
    assert not within_margin(lost, 0.10)
    alone, known = rules_out_drop(as_if_nothing_were_lost), rules_out_drop(lost)
    assert alone is not None and known is not None
    assert alone < 0.10 and known > 0.30
