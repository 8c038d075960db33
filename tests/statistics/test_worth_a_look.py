"""What is named where nothing was lost: second looks and slips, each with a line or a step to look at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aces_ci.core.diagnosis import Cause, Diagnosis
from aces_ci.core.grading.second_looks import second_looks
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.trace.actions import actions
from aces_ci.core.trial import Arm
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.diagnose import SkillText
from aces_ci.tiers.worth_a_look import worth_a_look
from tests.builders import a_comparison, a_score, a_trace

AFTER = "---\nname: triage\n---\nRead what is in `logs/`.\n"
TEXT = SkillText(path="skills/triage/SKILL.md", after=AFTER, before=AFTER)
ONCE = ("cat SKILL.md", "ls ./logs", "head logs/app.log")
TWICE = ("cat SKILL.md", "ls ./logs", "ls -la ./logs/", "head logs/app.log")


@pytest.mark.parametrize(
    ("commands", "places"),
    [
        (TWICE, ["./logs/"]),
        (("ls", "ls -la"), ["."]),
        (("cd logs && ls", "ls logs"), ["logs"]),
        (("cat a.txt", "cat a.txt"), ["a.txt"]),
        (("find . -name x", "find . -name x"), ["."]),
        (("ls logs", "ls logs", "ls logs"), ["logs"]),
        (ONCE, []),
        (("ls logs", "touch logs/a", "ls logs"), []),
        (("ls logs", "python make.py", "ls logs"), []),
        (("ls logs > seen.txt", "ls logs > seen.txt"), []),
        (("ls logs", "ls -la other"), []),
        (("find . -name x", "find . -name y"), []),
        (("head -n 5 a.txt", "head -n 50 a.txt"), []),
        (("sed -n 1,9p a.txt", "sed -n 10,19p a.txt"), []),
        (("ls $DIR", "ls $DIR"), []),
        (("cat a.txt | wc -l", "cat a.txt | wc -l"), []),
        (("ls logs; rm -r logs", "ls logs"), []),
        (("pytest -q", "pytest -q"), []),
    ],
)
def test_a_second_look_is_the_same_look_with_nothing_changed_in_between(
    commands: tuple[str, ...], places: list[str]
) -> None:
    assert [look.place for look in second_looks(actions(a_trace(*commands)))] == places


def found(
    twice: int, before: int = 0, values: tuple[float, float] = (1.0, 0.5), text: SkillText = TEXT, unsafe: bool = False
) -> tuple[Diagnosis, ...]:
    """2 cases x 5: the first `twice` runs of the change list a folder twice, and the first `before` on main."""
    arms = (Arm.WITH_SKILL, Arm.PREVIOUS)
    rows = {arm: dict.fromkeys(("a", "b"), [value] * 5) for arm, value in zip(arms, values, strict=True)}
    trials, scores = a_comparison(rows, looks=(5,))
    traces = {}
    for arm, many in zip(arms, (twice, before), strict=True):
        own = [trial for trial in trials if trial.arm is arm]
        traces |= {trial.digest: a_trace(*(TWICE if n < many else ONCE)) for n, trial in enumerate(own)}
        if unsafe:
            scores += [a_score(t, metric="security", value=float(arm is not arms[0]), cites=(3,)) for t in own]
    summary = summarise(trials, scores, LivePlan(looks=(5,)))
    return worth_a_look(summary, trials, scores, traces, text)


def test_a_folder_that_runs_list_twice_is_named_with_the_line_that_names_it_and_a_step() -> None:
    (item,) = found(3, before=1)
    assert (item.cause, item.what, item.seen, item.compared) == (Cause.LISTED_AGAIN, "./logs/", (3, 10), (1, 10))
    assert item.place is not None and (item.place.path, item.place.line) == (TEXT.path, 4)
    assert item.cites[0][1] == 4 and item.this is not None and item.other is not None
    (item,) = found(3, text=replace(TEXT, after="nothing of it"))
    assert item.place is None and item.cites and item.suggestion == "name the path once"


def test_the_whim_of_two_runs_and_a_result_that_is_lost_or_unfair_have_nothing_to_look_at() -> None:
    assert found(2) == () and found(0) == ()
    assert found(3, values=(0.0, 1.0)) == ()


def test_an_unsafe_step_of_a_change_that_improved_is_not_passed_over() -> None:
    assert [item.cause for item in found(0, unsafe=True)] == [Cause.UNSAFE]
