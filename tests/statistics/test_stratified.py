"""The exact test against enumeration, Fisher, and Cochran-Mantel-Haenszel."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from aces_ci.statistics.stratified import SCORE_GRID, TOLERANCE, Cell, exact_test, grid_of, mean_difference, moments

DATA = Path(__file__).parent / "data"


def cell(a: list[float], b: list[float], name: str = "c") -> Cell:
    return Cell(key=(name, "h", "m"), a=tuple(a), b=tuple(b))


scores = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0])
arms = st.lists(scores, min_size=1, max_size=4)


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=2))
def test_law_of_scores_equals_full_enumeration(pairs: list[tuple[list[float], list[float]]]) -> None:
    cells = [cell(a, b) for a, b in pairs]
    found = exact_test(cells)
    totals = [0]
    for one in cells:
        units = [int(y * found.grid + 0.5) for y in (*one.a, *one.b)]
        totals = [t + sum(chosen) for t in totals for chosen in combinations(units, len(one.a))]
    lower = sum(t <= found.total for t in totals) / len(totals)
    upper = sum(t >= found.total for t in totals) / len(totals)
    assert found.p_lower == pytest.approx(lower, abs=1e-12)
    assert found.p_upper == pytest.approx(upper, abs=1e-12)


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_one_binary_cell_is_fishers_exact_test(na: int, nb: int, data: st.DataObject) -> None:
    xa, xb = data.draw(st.integers(0, na)), data.draw(st.integers(0, nb))
    found = exact_test([cell([1.0] * xa + [0.0] * (na - xa), [1.0] * xb + [0.0] * (nb - xb))])
    table = [[xa, na - xa], [xb, nb - xb]]
    assert found.p_lower == pytest.approx(fisher_exact(table, alternative="less").pvalue, abs=1e-12)
    assert found.p_upper == pytest.approx(fisher_exact(table, alternative="greater").pvalue, abs=1e-12)


def test_moments_give_the_uncorrected_cmh_statistic_of_statsmodels() -> None:
    """Recorded from statsmodels 0.15.0, StratifiedTable(...).test_null_odds(correction=False)."""
    rows = json.loads((DATA / "cmh_statsmodels.json").read_text(encoding="utf-8"))
    assert len(rows) == 25
    for row in rows:
        cells = [
            cell([1.0] * xa + [0.0] * (na - xa), [1.0] * xb + [0.0] * (nb - xb)) for xa, na, xb, nb in row["tables"]
        ]
        parts = [moments(one, 1) for one in cells]
        z = (exact_test(cells, grid=1).total - sum(mean for mean, _ in parts)) / sum(v for _, v in parts) ** 0.5
        assert z * z == pytest.approx(row["statistic"], rel=1e-9)


def test_complete_split_of_one_case_is_exactly_one_in_twenty_and_compared_with_tolerance() -> None:
    found = exact_test([cell([0.0] * 3, [1.0] * 3)])
    assert found.p_lower == pytest.approx(0.05, abs=1e-12)
    assert found.p_lower <= 0.05 + TOLERANCE


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=3))
def test_swapping_arms_swaps_the_two_p_values(pairs: list[tuple[list[float], list[float]]]) -> None:
    there = exact_test([cell(a, b) for a, b in pairs], grid=SCORE_GRID)
    back = exact_test([cell(b, a) for a, b in pairs], grid=SCORE_GRID)
    assert there.p_lower == pytest.approx(back.p_upper, abs=1e-12)
    assert there.p_upper == pytest.approx(back.p_lower, abs=1e-12)


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=3), st.booleans())
def test_a_case_where_nothing_varies_changes_no_p(pairs: list[tuple[list[float], list[float]]], passed: bool) -> None:
    cells = [cell(a, b) for a, b in pairs]
    constant = cell([float(passed)] * 3, [float(passed)] * 3)
    before, after = exact_test(cells), exact_test([*cells, constant])
    assert after.p_lower == pytest.approx(before.p_lower, abs=1e-12)
    assert after.p_upper == pytest.approx(before.p_upper, abs=1e-12)


@given(st.lists(st.tuples(arms, arms), min_size=1, max_size=3))
def test_exact_size_never_exceeds_alpha_given_the_margins(pairs: list[tuple[list[float], list[float]]]) -> None:
    """No simulation: the whole null law of each margin, and the share of it that would be rejected."""
    import numpy as np

    from aces_ci.statistics.stratified import null_law

    cells = [cell(a, b) for a, b in pairs]
    grid, law = grid_of(cells), np.ones(1)
    for one in cells:
        law = np.convolve(law, null_law(one, grid)[0])
    below = np.cumsum(law)
    above = np.cumsum(law[::-1])[::-1]
    for tail in (below, above):
        assert law[tail <= 0.025 + TOLERANCE].sum() <= 0.025 + 2 * TOLERANCE


def test_cells_without_both_arms_drop_out_of_test_and_estimate() -> None:
    full, lonely = cell([0.0, 0.0], [1.0, 1.0]), cell([], [0.0, 0.0])
    assert exact_test([full, lonely]) == exact_test([full])
    assert mean_difference([full, lonely]) == -1.0
    assert mean_difference([lonely]) is None
    assert exact_test([lonely]).p_two_sided == 1.0


def test_a_score_outside_the_unit_interval_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"1\.2"):
        exact_test([cell([1.2, 0.5], [0.1, 0.2])])


def test_scores_are_rounded_before_anyone_looks_at_arms() -> None:
    third = exact_test([cell([1 / 3, 1 / 3], [0.33334, 0.33334])])
    assert third.p_lower == third.p_upper == 1.0
