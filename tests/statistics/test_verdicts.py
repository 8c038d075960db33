"""Size and power of the verdict itself, seeded, through the path of `report`; the full tables are in docs/method.md."""

from __future__ import annotations

import numpy as np
import pytest

from aces_ci.core.live import Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trial import Arm
from aces_ci.statistics.missing import Missing
from aces_ci.statistics.stratified import exact_test
from aces_ci.tiers import contrast
from benchmarks import false_verdicts as false_verdicts_of
from benchmarks.false_verdicts import DATA, LOSSES, Condition, words
from benchmarks.size_power import Draws, evidence, flipped, word_of
from tests.statistics.populations import KINDS, Draw, binary, items

VERDICTS = (Word.REGRESSED, Word.IMPROVED)


def error_of(runs: int, p: float = 0.05) -> float:
    return 3 * (p * (1 - p) / runs) ** 0.5


def false_verdicts(
    kind: str, cases: int, looks: tuple[int, ...], runs: int, make: Draws = binary, seed: int = 71
) -> float:
    rng, plan = np.random.default_rng(seed), LivePlan(looks=looks)
    return (
        sum(word_of(*evidence(make(kind, cases, looks[-1], 0.0, rng)), plan)[0] in VERDICTS for _ in range(runs)) / runs
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("cases", "looks"), [(3, (1,)), (4, (3,)), (4, (3, 5)), (4, (8,)), (4, (3, 5, 8)), (10, (3,))])
def test_identical_skills_get_a_verdict_at_most_once_in_twenty(kind: str, cases: int, looks: tuple[int, ...]) -> None:
    runs = 60
    assert false_verdicts(kind, cases, looks, runs) <= 0.05 + error_of(runs)


def test_three_by_one_never_speaks() -> None:
    assert false_verdicts("half", 3, (1,), 100) == 0.0


def test_judge_noise_that_is_blind_to_the_arm_does_not_raise_the_error() -> None:
    runs = 150

    def noisy(kind: str, cases: int, attempts: int, lift: float, rng: np.random.Generator) -> Draw:
        draw = items(kind, cases, attempts, lift, rng)
        return Draw(a=flipped(draw.a, 0.1, rng), b=flipped(draw.b, 0.1, rng))

    assert false_verdicts("half", 4, (3, 5), runs, noisy) <= 0.05 + error_of(runs)


def test_missing_trials_do_not_raise_the_error_even_when_they_hide_failures() -> None:
    runs, rng, plan, wrong = 150, np.random.default_rng(76), LivePlan(looks=(8,)), 0
    for _ in range(runs):
        lost = lambda arm, value: arm is Arm.PREVIOUS and value == 0 and rng.random() < 0.4  # noqa: E731
        wrong += word_of(*evidence(binary("half", 4, 8, 0.0, rng), lost), plan)[0] in VERDICTS
    assert wrong / runs <= 0.05 + error_of(runs)


def test_forty_points_in_every_case_are_found_at_four_by_eight() -> None:
    runs, rng, plan, found, used, lifts = 200, np.random.default_rng(77), LivePlan(), 0, 0, []
    for _ in range(runs):
        draw = binary("beta.8", 4, 8, -0.4, rng)
        lifts.append(float(draw.a.mean() - draw.b.mean()))
        word, attempts = word_of(*evidence(draw), plan)
        found += word is Word.REGRESSED
        used += attempts
    assert float(np.mean(lifts)) == pytest.approx(-0.4, abs=0.02), "the effect of this test is not the stated one"
    assert found / runs >= 0.85
    assert used / runs <= 0.75 * 8


def test_clipping_an_effect_would_fake_the_power_figure() -> None:
    """Why effects are rescaled: min(1, p + .4) realises about .31."""
    rng = np.random.default_rng(78)
    b = rng.beta(0.8, 0.8, 4000)
    assert float(np.mean(np.minimum(1, b + 0.4) - b)) < 0.33


def test_a_stored_arm_pays_for_the_day_it_was_recorded_on() -> None:
    """Why it may not gate: with a day effect of .6 on the logit the one-sided error is far above .025."""
    runs, rng, wrong = 500, np.random.default_rng(100), {"beside": 0, "stored": 0}
    for _ in range(runs):
        logits = rng.normal(0, 1.2, 10)
        today, other = rng.normal(0, 0.6, 2)

        def draw(shift: float, logits: np.ndarray = logits) -> np.ndarray:  # type: ignore[type-arg]
            return (rng.random((10, 5)) < (1 / (1 + np.exp(-(logits + shift))))[:, None]).astype(float)

        new, old = draw(today), {"beside": draw(today), "stored": draw(other)}
        for name, arm in old.items():
            wrong[name] += exact_test(Draw(a=new, b=arm).cells()).p_lower <= 0.025 + 1e-9
    assert wrong["beside"] / runs <= 0.025 + error_of(runs, 0.025)
    assert wrong["stored"] / runs >= 0.08


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("loss", LOSSES)
def test_looks_lost_runs_and_a_judge_that_errs_together_keep_the_promise(data: str, loss: str) -> None:
    """A small copy of `benchmarks/false_verdicts.py`, which takes 2,000 runs a population."""
    runs = 60
    said, _ = words(Condition(design="4x5", data=data, loss=loss), "half", 0.0, runs, seed=5)
    assert (said[Word.REGRESSED] + said[Word.IMPROVED]) / runs <= 0.05 + error_of(runs)
    assert said.total() == runs


def test_without_rule_r_failures_that_vanish_would_make_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: it does when a crossed boundary stands whatever was lost."""
    monkeypatch.setattr(false_verdicts_of, "JUDGE_ERROR", 0.0)
    row, runs = Condition(design="4x8", data="passes", loss="half of main's failures"), 150

    def false() -> int:
        said, _ = words(row, "half", 0.0, runs, seed=5)
        return said[Word.REGRESSED] + said[Word.IMPROVED]

    kept = false()
    monkeypatch.setattr(contrast, "rule_r", lambda looks, *rest, **more: looks.crossed is not None)
    monkeypatch.setattr(Missing, "too_many", property(lambda self: False))
    assert kept / runs <= 0.05 < false() / runs
