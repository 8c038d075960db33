"""The frame of `aces-ci live`: what it shows of a run, and that no arm is compared before a planned look."""

from __future__ import annotations

import dataclasses
import re
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from aces_ci.core.live_frame import Mark, Moment, frame, mark_of
from aces_ci.core.live_opening import OPEN, opening
from aces_ci.core.live_plan import LivePlan, PlannedCase
from aces_ci.core.plan import Design, PlannedTrial, Subject, TrialPlan, make_live_plan
from aces_ci.core.score import Score
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.staging import Lineup
from aces_ci.core.trial import Arm, Ending, Trial, Usage
from aces_ci.live_screen import Board, Teller, closing, resume_line, summaries
from aces_ci.tiers.live import Ended, Progress
from tests.unit.test_live_tier import cases, contender, plan, skill


def three_arms(**changes: object) -> TrialPlan:
    lineup = Lineup(target=(skill(),), previous=(skill("Another body."),))
    return plan(lineup, **{"arms": tuple(Arm), "looks": (3, 5, 8), **changes})  # type: ignore[arg-type]


def moment(**changes: object) -> Moment:
    fields: dict[str, object] = {"marks": {}, "scores": {}, "look": 0, **changes}
    return Moment(**fields)  # type: ignore[arg-type]


def trial(chosen: TrialPlan, at: int = 0, **changes: object) -> Trial:
    planned = chosen.trials[at]
    fields: dict[str, object] = {
        "digest": planned.digest,
        "skill": planned.skill,
        "case": planned.case,
        "arm": planned.arm,
        "harness": "command",
        "model": "m",
        "attempt": planned.attempt,
        "stage": planned.stage,
        "ending": Ending.FINISHED,
        "seconds": 3.0,
        **changes,
    }
    return Trial(**fields)  # type: ignore[arg-type]


def test_a_line_a_case_with_a_mark_a_run_of_the_next_look() -> None:
    chosen = three_arms()
    of_case = [item for item in chosen.trials if item.case == "case-0" and item.arm is Arm.WITH_SKILL]
    marks = dict(zip((item.digest for item in of_case), (Mark.DONE, Mark.RUNNING, Mark.WAITING), strict=False))
    lines = frame(chosen, moment(marks=marks))
    assert lines[0] == "  case-0             no skill ··· 0/3   main ··· 0/3   this ■▣· 1/3"
    assert lines[2] == "  1 of 48 done · 1 running · 0 lost · $0.00 · 0:00, at most 1 min left"
    assert lines[3] == f"{'  look 1 of 3 comes after 18 runs: no lift before it':<63} Ctrl-C keeps all"


def test_after_a_look_its_finding_stands_and_the_next_look_begins() -> None:
    text = "against main +26 [-2, +54]  not decided"
    key = ("skills/read-gauge", "case-1")
    lines = frame(three_arms(), moment(look=1, findings=(text,), scores={key: 0.667}, behind=frozenset({key})))
    assert lines[0] == f"{'this, at look 1':>78}", "whose number it is, and of when"
    assert lines[2] == "  case-1             no skill ····· 0/5   main ····· 0/5   this ····· 0/5   67"
    assert lines[1].endswith("this ····· 0/5") and lines[4].startswith(f"  look 1 of 3: {text}")


def test_the_mean_of_this_arm_moves_with_each_run_and_of_no_other_arm_is_anything_shown() -> None:
    chosen = three_arms(count=1)
    board = Board(chosen, done={}, cap_micros=None)
    trials, _ = scores_of(chosen, 1)
    shown = []
    for item, done in zip([item for item in chosen.trials if item.stage == 1], trials, strict=True):
        board.take(Progress(planned=item, trial=done))
        if item.arm is Arm.WITH_SKILL:
            board.foretold({done.digest: 1.0 if done.attempt == 1 else 0.0})
        label, row, *_ = lines = board.lines(80, 24)
        shown.append((label.strip(), row.split()[-1]) if "this, " in label else ("", ""))
        assert "+" not in "".join(lines)
    moved = list(dict.fromkeys(shown))
    assert set(moved) <= {("", ""), ("this, so far", "100"), ("this, so far", "50"), ("this, so far", "0"),
                          ("this, so far", "33")}  # fmt: skip
    assert moved[-1] == ("this, so far", "33") and len(moved) >= 3


class Foretelling:
    """Grades of runs of which the arm with the skill has a known outcome."""

    def __init__(self, earlier: list[Score]) -> None:
        self.trials: dict[str, Trial] = {}
        self.all_scores = earlier

    def foretold(self, planned: PlannedTrial) -> dict[str, float | None]:
        return {planned.digest: 0.5} if planned.arm is Arm.WITH_SKILL else {}


def test_the_teller_hands_on_each_outcome_as_its_run_ends_and_those_of_an_earlier_start() -> None:
    chosen = three_arms(count=1)
    own = [(at, item) for at, item in enumerate(chosen.trials) if item.arm is Arm.WITH_SKILL][:2]
    earlier = {item.digest: trial(chosen, at) for at, item in own[:1]}
    board = Board(chosen, done=earlier, cap_micros=None)
    grades = Foretelling([Score(trial=digest, metric="outcome", value=1.0, because="x") for digest in earlier])
    grades.trials |= earlier
    teller = Teller(chosen, LivePlan(), cast(Any, grades), board, lambda line: None, threading.Event())
    assert board.lines(80, 24)[1].endswith("100")
    at, item = own[1]
    teller.progress(Progress(planned=item, trial=trial(chosen, at)))
    label, row, *_ = board.lines(80, 24)
    assert label.strip() == "this, so far" and row.endswith("75")


def test_what_only_a_look_can_tell_stays_its_number_and_is_labelled_so() -> None:
    chosen = three_arms(count=2)
    board = Board(chosen, done={}, cap_micros=None)
    trials, scores = scores_of(chosen, 1)
    for item, done in zip([item for item in chosen.trials if item.stage == 1], trials, strict=True):
        board.take(Progress(planned=item, trial=done))
    analysis = LivePlan(cases={case.id: PlannedCase() for case in chosen.subjects[0].cases})
    board.looked(1, summaries(chosen, trials, scores, analysis), trials, scores, "")
    assert board.lines(80, 24)[0].strip() == "this, so far", "all that have ended are told"
    for case, said in (("case-0", "this, so far; what is judged at look 1"), ("case-1", "this, at look 1")):
        found = ((at, item) for at, item in enumerate(chosen.trials) if item.stage == 2)
        at = next(at for at, item in found if item.arm is Arm.WITH_SKILL and item.case == case)
        board.take(Progress(planned=chosen.trials[at], trial=trial(chosen, at)))
        label, *rows = board.lines(90, 24)
        assert label.strip() == said and rows[0].endswith("100") and rows[1].endswith("100")


def test_a_run_without_an_outcome_is_no_zero_and_one_that_was_lost_holds_nothing_back() -> None:
    chosen = three_arms(count=1)
    board = Board(chosen, done={}, cap_micros=None)
    own = [(at, item) for at, item in enumerate(chosen.trials) if item.arm is Arm.WITH_SKILL][:3]
    for (at, item), (ending, value) in zip(
        own, [(Ending.FINISHED, 1.0), (Ending.FINISHED, None), (Ending.INFRA_FAILED, 0.0)], strict=True
    ):
        done = trial(chosen, at, ending=ending)
        board.take(Progress(planned=item, trial=done))
        if not done.missing:
            board.foretold({done.digest: value})
    label, row, *_ = board.lines(80, 24)
    assert label.strip() == "this, so far" and row.endswith("100")


def test_a_narrow_screen_keeps_the_marks_and_the_number() -> None:
    scores = {("skills/read-gauge", "case-1"): 1.0}
    for look, width in ((2, 80), (1, 70)):
        shown = moment(look=look, scores=scores, behind=frozenset(scores))
        label, _, row, *_ = frame(three_arms(), shown, width=width)
        assert label.endswith(f"this, at look {look}") and row.endswith("100") and "/" not in row


@pytest.mark.parametrize(
    ("changes", "tries", "mark"),
    [
        ({}, 1, "■"),
        ({}, 2, "↺"),
        ({"ending": Ending.INFRA_FAILED}, 2, "x"),
        ({"ending": Ending.AGENT_FAILED}, 1, "!"),
        ({"ending": Ending.TIMED_OUT}, 2, "!"),
    ],
)
def test_every_ending_has_its_mark(changes: dict[str, object], tries: int, mark: str) -> None:
    assert mark_of(trial(three_arms(), **changes), tries=tries) == mark


def test_many_runs_become_a_count_and_many_cases_fit_the_screen() -> None:
    agents = [contender(model=f"m{number}") for number in range(4)]
    chosen = three_arms(contenders=agents, count=40)
    first = chosen.trials[0]
    lines = frame(chosen, moment(marks={first.digest: Mark.LOST}), width=80, height=12)
    assert len(lines) == 11 and "… and 32 more" in lines[8]
    assert all(len(line) <= 80 for line in lines)
    assert any("1 of 12 1x" in line for line in frame(chosen, moment(marks={first.digest: Mark.LOST}), height=99))


def test_skills_are_told_apart_and_names_cannot_draw() -> None:
    one = Subject(skill="skills/a", lineup=Lineup(target=(skill(),)), cases=cases(1))
    evil = dataclasses.replace(cases(1)[0], id="\x1b[2J[red]x")
    other = Subject(skill="skills/b", lineup=Lineup(target=(skill(),)), cases=(evil,))
    chosen = make_live_plan([one, other], [contender()], Design(looks=(1,)), attainable=lambda *_: True)
    text = "\n".join(frame(chosen, moment()))
    assert "  skills/a\n" in text and "  skills/b\n" in text and "\x1b" not in text


def scores_of(chosen: TrialPlan, looks: int) -> tuple[list[Trial], list[Score]]:
    trials = [trial(chosen, at) for at, item in enumerate(chosen.trials) if item.stage <= looks]
    values = {Arm.WITH_SKILL: 1.0, Arm.PREVIOUS: 0.0, Arm.BASELINE: 0.0}
    rows = [
        Score(trial=item.digest, metric=metric, value=values[item.arm], because="x")
        for item in trials
        for metric in ("outcome_checks", "outcome")
    ]
    return trials, rows


def test_no_word_of_a_difference_before_the_look_and_one_after_it() -> None:
    chosen = three_arms(count=4)
    board = Board(chosen, done={}, cap_micros=8_000_000, now=iter(range(1000)).__next__)
    trials, scores = scores_of(chosen, 1)
    for item, done in zip(chosen.trials, trials, strict=False):
        assert board.take(Progress(planned=item)) is None
        line = board.take(Progress(planned=item, trial=done, paid_micros=250_000))
        shown = "\n".join([line or "", *board.lines(80, 40)])
        assert "against" not in shown and "+" not in shown and "[" not in shown
    assert "$0.25 of $8.00" in shown
    analysis = LivePlan(cases={case.id: PlannedCase() for case in chosen.subjects[0].cases})
    told = board.looked(1, summaries(chosen, trials, scores, analysis), trials, scores, "")
    assert told[0].startswith("look 1 of 3: against main +100 [") and told[0].endswith("not decided")
    after = board.lines(80, 40)
    assert after[1].endswith("100") and told[0] in "\n".join(after)


def closed(chosen: TrialPlan, done: dict[str, Trial], paid: int, before: int) -> list[str]:
    trials, scores = scores_of(chosen, 3)
    analysis = LivePlan(cases={case.id: PlannedCase() for case in chosen.subjects[0].cases})
    found = summaries(chosen, trials, scores, analysis)
    ended = Ended(look=3, paid_micros=paid)
    return list(closing(chosen, found, ended, Path("out"), done=done, before_micros=before))


def test_the_end_says_the_word_with_its_error_and_what_this_start_spent_and_saved() -> None:
    chosen = three_arms(count=4, contenders=[contender(price=price_of("claude-sonnet-5"))])
    earlier = {
        item.digest: trial(chosen, at, usage=Usage(usd_micros=70_000)) for at, item in enumerate(chosen.trials[:3])
    }
    lost = chosen.trials[3]
    earlier[lost.digest] = trial(chosen, 3, ending=Ending.INFRA_FAILED, usage=Usage(usd_micros=900_000))
    first, second, *_, last = closed(chosen, earlier, paid=5_310_000, before=300_000)
    assert re.fullmatch(r"improved: read-gauge   \+100 \[\+\d+, \+100\] against main, p < \.001", first), first
    assert second.strip().startswith("+100 [") and "against no skill" in second
    assert last.startswith("$5.01 spent, $0.21 saved · look 3 of 3")


def test_what_nobody_knows_the_price_of_is_no_zero_at_the_end_and_on_the_way() -> None:
    chosen = three_arms(count=4, contenders=[contender(price=None)])
    assert closed(chosen, {}, paid=0, before=0)[-1].startswith("price unknown · look 3 of 3")
    line = Board(chosen, done={}, cap_micros=None).take(Progress(planned=chosen.trials[0], trial=trial(chosen)))
    assert line is not None and line.endswith("· price unknown")


def test_one_of_each_is_one() -> None:
    first = next(opening(three_arms(count=1, looks=(1,), arms=(Arm.WITH_SKILL, Arm.BASELINE)), None))
    assert first.startswith("read-gauge · 1 case × 1 run × 2 arms · ")


def test_a_sandbox_closes_the_network_and_a_process_of_this_machine_opens_everything() -> None:
    closed_box, open_machine = (list(opening(three_arms(), None, isolated=each)) for each in (True, False))
    assert closed_box[-1].endswith("· network: model only")
    assert open_machine[-1] == OPEN and not any("network: model" in line for line in open_machine)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (None, None),
        (48 * 65_000, None),
        (0, "about 0 of 48 new runs; look 1 of 3 takes 18, about $"),
        (30 * 65_000, "look 2 of 3 is as far as it gets"),
    ],
)
def test_a_budget_that_ends_before_the_plan_is_told_before_the_question(left: int | None, said: str | None) -> None:
    plan = three_arms(contenders=[contender(price=price_of("claude-sonnet-5"))])
    assert plan.forecast.usd_micros is not None
    if left:
        left = left * plan.forecast.usd_micros // (48 * 65_000)
    lines = list(opening(plan, 2.0, left_micros=left))
    told = [line for line in lines if line.startswith("the budget ends before the plan")]
    assert [said in line for line in told] == ([True] if said else []), told
    assert "at most $2.00" in lines[1]


def test_a_cap_below_a_cent_is_told_as_it_is() -> None:
    assert "at most $0.004 ·" in list(opening(three_arms(), 0.004))[1]


def test_what_was_there_before_counts_as_done_and_not_as_new() -> None:
    whole = three_arms()
    part = three_arms(done=[item.digest for item in whole.trials[:6]])
    done = {item.digest: trial(whole, at) for at, item in enumerate(whole.trials[:6])}
    lines = Board(part, done=done, cap_micros=None).lines(80, 24)
    assert "0 of 42 done" in lines[2] and "■" in lines[0]


def test_the_line_to_go_on_says_again_what_decides_the_plan() -> None:
    from pathlib import Path

    from aces_ci.jobs.live_order import Wanted

    wanted = Wanted(paths=(Path("skills/a b"),), base="origin/main", cases=("x", "y"), max_usd=8.0, overrides=("a=b",))
    assert resume_line(wanted.paths, wanted.again()) == (
        "resume: aces-ci live 'skills/a b' --base origin/main --max-usd 8.0 --case x --case y --set a=b --resume"
    )
