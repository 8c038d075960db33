"""What a design can see, what is missing, how judges and days disturb."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from aces_ci.statistics.agreement import agreement, flip_rate, kappa
from aces_ci.statistics.flips import holm, worse_cases, worse_harnesses
from aces_ci.statistics.missing import bounds, count_missing, rule_r
from aces_ci.statistics.noise import day_noise, noise_floor
from aces_ci.statistics.passes import over_cases, pass_at_k, pass_hat_k
from aces_ci.statistics.power import (
    attainable,
    attempts_for,
    cases_within_cap,
    cell_variance,
    smallest_lift,
    smallest_p,
    with_more_cases,
)
from aces_ci.statistics.sequential import Side, Stage, run_looks
from aces_ci.statistics.stratified import Cell, exact_test
from tests.statistics.populations import binary


def cell(a: tuple[float, ...], b: tuple[float, ...], **lost: int) -> Cell:
    return Cell(key=("c", "h", "m"), a=a, b=b, **lost)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cases", "looks", "alpha", "can"),
    [
        (3, (1,), 0.025, False),
        (4, (1,), 0.025, False),
        (5, (1,), 0.025, False),
        (6, (1,), 0.025, True),
        (1, (3,), 0.025, False),
        (4, (3,), 0.025, True),
        (0, (8,), 0.025, False),
        # Two stages of one run each are compared apart: 2^-4 and 2^-6, where one stage of two has 6^-2 and 6^-3.
        (2, (1, 2), 0.03, False),
        (2, (2,), 0.03, True),
        (3, (1, 2), 0.0125, False),
        (3, (2,), 0.0125, True),
        # Only the last look can: at the first the smallest p is 1/20, and a part of alpha may go.
        (1, (3, 5, 8), 0.025, True),
        (1, (3, 8), 0.025, True),
    ],
)
def test_designs_that_can_never_speak_are_known_before_spending(
    cases: int, looks: tuple[int, ...], alpha: float, can: bool
) -> None:
    """Against the recursion itself, on the most extreme path that there is."""
    assert attainable(cases, looks, alpha) is can
    stages = [upto - before for before, upto in pairwise((0, *looks))]
    split = [Stage(attempts=n, cells=(cell((0.0,) * n, (1.0,) * n),) * cases) for n in stages]
    found = run_looks(split, cap=looks[-1], alpha_lower=alpha, alpha_higher=alpha)
    assert (found.crossed is Side.LOWER) is can
    pooled = exact_test([each for stage in split for each in stage.cells])
    assert smallest_p(cases, stages) == pytest.approx(pooled.p_lower if cases else 1.0)


def test_more_changed_skills_make_a_small_design_unattainable() -> None:
    assert attainable(2, (3,), 0.025) and not attainable(2, (3,), 0.025 / 11)
    assert attainable(1, (3,), 0.025, strata_per_case=2)


def test_alpha_that_is_gone_can_make_a_plan_unattainable() -> None:
    assert attainable(4, (3, 5, 8), spent=0.02) and not attainable(4, (3, 5, 8), spent=0.025)


def test_a_plan_that_no_completion_can_settle_is_futile_and_one_that_can_is_not() -> None:
    """Two cases by one run at each of three looks: 2^-6 is below .025, and a tie at the first look ends that."""
    tie, apart = cell((1.0,), (1.0,)), cell((0.0,), (1.0,))
    far = {"cap": 3, "later": (2, 3)}
    lost = run_looks([Stage(attempts=1, cells=(tie, tie))], **far)  # type: ignore[arg-type]
    open_ = run_looks([Stage(attempts=1, cells=(apart, apart))], **far)  # type: ignore[arg-type]
    assert lost.hopeless and lost.futile
    assert not open_.hopeless and not open_.futile


def test_hopeless_is_never_said_while_some_completion_crosses() -> None:
    """Every binary outcome of one stage of 2 x 2, each completed in every way of a second stage."""
    cells = [cell(a, b) for a in product((0.0, 1.0), repeat=2) for b in product((0.0, 1.0), repeat=2)]
    pairs = [Stage(attempts=2, cells=(one, two)) for one in cells for two in cells]
    said = 0
    for first in pairs:
        early = run_looks([first], cap=4, alpha_lower=0.01, alpha_higher=0.01, later=(4,))
        if early.hopeless:
            said += 1
            ends = (run_looks([first, last], cap=4, alpha_lower=0.01, alpha_higher=0.01) for last in pairs)
            assert all(end.crossed is None for end in ends)
    assert said


def test_planning_imports_no_numpy() -> None:
    code = "import sys, aces_ci.statistics.power; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False).returncode == 0


@pytest.mark.parametrize(("cases", "attempts", "shown"), [(4, 3, 0.57), (4, 8, 0.32), (10, 3, 0.34), (20, 3, 0.24)])
def test_smallest_detectable_lift_agrees_with_the_simulated_table(cases: int, attempts: int, shown: float) -> None:
    rng, found = np.random.default_rng(95), []
    for _ in range(300):
        cells = binary("beta.8", cases, attempts, 0.0, rng).cells()
        found.append(smallest_lift([cell_variance((c.a, c.b), 1) for c in cells], attempts))
    assert float(np.mean(found)) == pytest.approx(shown, abs=0.03)


def test_real_power_at_the_printed_lift_is_what_the_comment_says() -> None:
    """ "Would show" promises four of five; the formula gives .72 to .85."""
    rng, runs, hits = np.random.default_rng(96), 500, 0
    spread = []
    for _ in range(200):
        spread.append([cell_variance((c.a, c.b), 1) for c in binary("half", 6, 5, 0.0, rng).cells()])
    lift = smallest_lift(list(np.mean(spread, axis=0)), 5)
    for _ in range(runs):
        hits += exact_test(binary("half", 6, 5, -lift, rng).cells()).p_lower <= 0.025 + 1e-9
    assert 0.68 <= hits / runs <= 0.90


def test_attempts_for_a_target_are_the_smallest_that_reach_it() -> None:
    spread = [0.17] * 4
    needed = attempts_for(0.20, spread)
    assert needed is not None
    assert smallest_lift(spread, needed) <= 0.20 < smallest_lift(spread, needed - 1)
    assert attempts_for(0.001, spread) is None
    assert with_more_cases(spread, 10) == (pytest.approx(0.17),) * 10
    assert cases_within_cap(22, 4, 8) == 11


def test_score_variance_has_a_floor_so_that_ties_are_not_certainty() -> None:
    assert cell_variance(((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)), 60) == pytest.approx(1 / 32)
    assert cell_variance(((1.0,) * 3, (1.0,) * 3), 1) == pytest.approx(7 / 8 * 1 / 8)


def test_worst_case_bounds_hold_every_completion() -> None:
    cells = [cell((1.0, 0.0), (1.0,), missing_a=1, missing_b=2)]
    low, high = bounds(cells) or (0.0, 0.0)
    assert low == pytest.approx(1 / 3 - 1.0)
    assert high == pytest.approx(2 / 3 - 1 / 3)
    assert bounds([]) is None


def test_a_crash_that_is_labelled_infrastructure_in_one_arm_cannot_make_a_regression() -> None:
    """Failures of the comparator vanish: the complete-trial test rejects far too often, rule R does not."""
    rng, runs, naive, ruled = np.random.default_rng(130), 500, 0, 0
    for _ in range(runs):
        cells = []
        for a, b in zip(*(rng.random((4, 8)) < 0.5 for _ in range(2)), strict=True):
            kept = [float(y) for y in b if y or rng.random() > 0.5]
            cells.append(cell(tuple(map(float, a)), tuple(kept), missing_b=8 - len(kept)))
        stages = [Stage(attempts=8, cells=tuple(cells))]
        looks = run_looks(stages, cap=8)
        naive += looks.crossed is Side.LOWER
        stands = rule_r(looks, stages, count_missing(cells), cap=8, alpha_lower=0.025, alpha_higher=0.025)
        ruled += stands and looks.crossed is Side.LOWER
    assert naive / runs > 0.06
    assert ruled / runs <= 0.025 + 3 * (0.025 * 0.975 / runs) ** 0.5


def test_equal_losses_do_not_silence_a_clear_regression() -> None:
    stage = Stage(attempts=5, cells=tuple(cell((0.0,) * 4, (1.0,) * 4, missing_a=1, missing_b=1) for _ in range(4)))
    looks = run_looks([stage], cap=5)
    assert looks.crossed is Side.LOWER
    assert rule_r(looks, [stage], count_missing(stage.cells), cap=5, alpha_lower=0.025, alpha_higher=0.025)


def test_over_a_fifth_missing_is_no_comparison() -> None:
    assert count_missing([cell((1.0,) * 4, (1.0,) * 4, missing_a=1, missing_b=1)]).too_many is False
    assert count_missing([cell((1.0,) * 3, (1.0,) * 4, missing_a=2, missing_b=1)]).too_many is True


def test_flip_rate_undoes_the_disagreement_it_causes() -> None:
    for error in (0.0, 0.05, 0.2):
        assert flip_rate(2 * error * (1 - error)) == pytest.approx(error)
    assert flip_rate(0.5) is None
    rng = np.random.default_rng(91)
    truth = rng.random(4000) < 0.6
    votes = [tuple(bool(t ^ (rng.random() < 0.1)) for _ in range(2)) for t in truth]
    found = agreement([(first, second) for first, second in votes])
    assert found.flip_rate == pytest.approx(0.1, abs=0.02)
    assert found.shrinks == pytest.approx(0.2, abs=0.04)
    assert agreement([]).share is None


def test_kappa_is_one_for_the_same_and_zero_for_chance() -> None:
    assert kappa([(True, True), (False, False)]) == pytest.approx(1.0)
    assert kappa([(True, True), (True, False), (False, True), (False, False)]) == pytest.approx(0.0)
    assert kappa([(True, True)]) is None


def test_passes_are_unbiased_over_the_attempts_that_were_run() -> None:
    """Against the average over every choice of k of the n attempts."""
    from itertools import combinations

    attempts = [True, True, False, False, False]
    for k in (1, 2, 3):
        picks = list(combinations(attempts, k))
        assert pass_at_k(2, 5, k) == pytest.approx(sum(any(pick) for pick in picks) / len(picks))
        assert pass_hat_k(2, 5, k) == pytest.approx(sum(all(pick) for pick in picks) / len(picks))
    assert pass_at_k(1, 2, 3) is None
    assert over_cases([(2, 3), (1, 2)], 3) is None


def test_noise_floor_is_exceeded_by_the_next_identical_pair_about_once_in_twenty() -> None:
    rng, runs, over, naive = np.random.default_rng(99), 800, 0, 0
    for _ in range(runs):
        # One suite, measured twice: the floor from the first A/A, tried on the second.
        seed = int(rng.integers(1 << 30))
        first = binary("half", 4, 8, 0.0, np.random.default_rng(seed))
        again = binary("half", 4, 8, 0.0, np.random.default_rng(seed + 1))
        floor = noise_floor(first.cells(), 8)
        assert floor is not None
        lift = abs(float(again.a.mean() - again.b.mean()))
        over += lift > floor
        naive += lift > abs(float(first.a.mean() - first.b.mean()))
    assert over / runs <= 0.08
    assert naive / runs > 0.30


def test_days_are_unknown_until_there_are_five() -> None:
    few = day_noise([0.5, 0.6, 0.4], [0.05] * 3)
    assert few.sigma is None and "3 of 5" in few.because
    many = day_noise([0.3, 0.7, 0.5, 0.2, 0.8], [0.02] * 5)
    assert many.sigma == pytest.approx(0.254, abs=0.005)
    assert noise_floor([], 8) is None


def test_one_broken_case_is_flagged_and_a_whole_case_is_not() -> None:
    found = worse_cases({"broken": [cell((0.0,) * 3, (1.0,) * 3)], "fine": [cell((1.0, 0.0, 1.0), (1.0, 1.0, 0.0))]})
    assert found == ("broken",)


def test_one_broken_harness_is_flagged_after_holm_and_one_alone_never() -> None:
    bad, good = [cell((0.0,) * 5, (1.0,) * 5)] * 3, [cell((1.0,) * 5, (1.0,) * 5)] * 3
    assert worse_harnesses({"codex": bad, "claude-code": good}) == ("codex",)
    assert worse_harnesses({"codex": bad}) == ()
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})


def test_a_run_without_intervals_loads_no_large_part_of_scipy() -> None:
    code = "import sys, aces_ci.live_tier; print(*{'scipy.stats', 'scipy.optimize'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
