"""Runs of another day inform and never gate: what a start may take over from one before the skill was changed."""

from __future__ import annotations

from pathlib import Path

from aces_ci.core.trial import Arm
from aces_ci.resuming import Earlier, beside, earlier, put_aside
from aces_ci.shell.files import Folder
from tests.statistics.test_last_push import RATES, measured, plan


def left_by(text: str) -> Earlier:
    trials, scores = measured(plan(text), RATES, 1)
    return Earlier(trials={trial.digest: trial for trial in trials}, scores=tuple(scores), day="2026-11-26")


def test_after_the_skill_was_changed_main_runs_again_and_no_skill_informs() -> None:
    found = beside(left_by("first try"), plan("second try"))
    arms = [trial.arm for trial in found.trials.values()]
    assert Arm.PREVIOUS not in arms and arms.count(Arm.BASELINE) == 12
    assert {trial.recorded for trial in found.trials.values() if trial.arm is Arm.BASELINE} == {"2026-11-26"}
    assert all(score.trial in found.trials for score in found.scores)
    planned = {row.digest for row in plan("second try").trials}
    assert {found.trials[d].arm for d in found.trials if d in planned} == {Arm.BASELINE}


def test_the_same_comparison_goes_on_with_everything() -> None:
    left = left_by("first try")
    assert beside(left, plan("first try")) == left


def test_a_start_that_was_killed_before_this_changes_first_run_keeps_what_it_paid_for() -> None:
    left = left_by("first try")
    early = {digest: trial for digest, trial in left.trials.items() if trial.arm is not Arm.WITH_SKILL}
    kept = beside(Earlier(trials=early, day="2026-11-26"), plan("first try"))
    assert kept.trials == early


def test_runs_that_were_set_aside_for_good_do_not_come_back_with_a_later_start(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "out", cwd=tmp_path)
    folder.claim()
    put_aside(folder, beside(left_by("first try"), plan("second try")))
    again = earlier(folder)
    assert Arm.PREVIOUS not in {trial.arm for trial in again.trials.values()}
    assert again.day, "the day that the no-skill arm is marked with"
