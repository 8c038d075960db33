"""Each class of a loss is named from what the runs show, and never suggested without a cite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aces_ci.core.diagnosis import Cause, Diagnosis
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.reading.text_change import changed_lines
from aces_ci.core.score import Part, Score
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.diagnose import SkillText, diagnose
from tests.builders import a_comparison, a_score, a_trace

BEFORE = (
    "---\nname: ledger\ndescription: Exports ledgers.\n---\nRun `export.py`.\nCompare the totals with the invoice.\n"
)
AFTER = "---\nname: ledger\ndescription: Exports ledgers.\n---\nRun `export.py` with `--fast`.\n"
TEXT = SkillText(path="skills/ledger/SKILL.md", after=AFTER, before=BEFORE)
CASES = ("vat", "split")


class Scene:
    """with_skill fails where main succeeds, 2 cases x 5; each side's traces are the same in every run."""

    def __init__(self, this: Trajectory, other: Trajectory, values: tuple[float, float] = (0.0, 1.0)) -> None:
        rows = {
            arm: dict.fromkeys(CASES, [value] * 5)
            for arm, value in zip((Arm.WITH_SKILL, Arm.PREVIOUS), values, strict=True)
        }
        self.trials, self.scores = a_comparison(rows, looks=(5,))
        self.traces = {t.digest: this if t.arm is Arm.WITH_SKILL else other for t in self.trials}

    def score(self, arm: Arm, **changes: object) -> None:
        self.scores += [a_score(t, **changes) for t in self.trials if t.arm is arm]

    def end(self, arm: Arm, ending: Ending) -> None:
        self.trials = [
            replace(t, ending=ending, because="hit the limit of 600 s") if t.arm is arm else t for t in self.trials
        ]

    def causes(self, text: SkillText = TEXT) -> tuple[Diagnosis, ...]:
        summary = summarise(self.trials, self.scores, LivePlan(looks=(5,)))
        return diagnose(summary, self.trials, self.scores, self.traces, text)


FAST, SLOW = (
    a_trace("cat SKILL.md", "python export.py --fast"),
    a_trace("cat SKILL.md", "python export.py", "diff totals invoice"),
)


def test_an_added_flag_that_failing_runs_follow_is_named_with_its_line() -> None:
    first = Scene(FAST, SLOW).causes()[0]
    assert (first.cause, first.what, first.seen, first.compared) == (Cause.MISUSED, "--fast", (10, 10), (0, 10))
    assert first.place is not None and (first.place.line, first.place.side) == (5, "head")
    assert first.suggestion.startswith("taking it out") and first.cites[0][1] == 3


def test_the_two_excerpts_stand_side_by_side_at_the_difference() -> None:
    first = Scene(FAST, SLOW).causes()[0]
    assert first.this is not None and first.other is not None
    assert (first.this.arm, first.other.arm, first.this.case) == (Arm.WITH_SKILL, Arm.PREVIOUS, first.other.case)
    assert any("--fast" in line for line in first.this.lines)
    assert first.other.lines[0] == "step 3 Bash: python export.py"


def test_a_check_that_is_skipped_now_points_at_the_line_that_asked_for_it_on_main() -> None:
    scene = Scene(SLOW, SLOW)
    text = replace(TEXT, behaviors={"b2": "Compares the totals with the invoice"})
    for arm, value in ((Arm.WITH_SKILL, 0.0), (Arm.PREVIOUS, 1.0)):
        scene.score(arm, metric="behavior_check", value=value, parts=(Part(name="b2", value=value),))
    first = scene.causes(text)[0]
    assert first.cause is Cause.SKIPPED_VERIFICATION and first.what == "Compares the totals with the invoice"
    assert first.place is not None and (first.place.side, first.place.line) == ("base", 6)
    assert first.suggestion == "putting it back"


def test_a_skill_that_is_not_opened_points_at_its_description() -> None:
    scene = Scene(a_trace("ls"), SLOW)
    for arm, value in ((Arm.WITH_SKILL, 0.0), (Arm.PREVIOUS, 1.0)):
        scene.score(arm, metric="skill_execution", value=value, parts=(Part(name="activation", value=value),))
    first = scene.causes(SkillText(path="s/SKILL.md", after=BEFORE, before=BEFORE))[0]
    assert first.cause is Cause.NEVER_DISCOVERED and first.place is not None and first.place.line == 3


@pytest.mark.parametrize("ending", [Ending.AGENT_FAILED, Ending.TIMED_OUT])
def test_instability_is_told_from_a_worse_answer(ending: Ending) -> None:
    scene = Scene(a_trace("sleep 900", answer=None), SLOW)
    scene.end(Arm.WITH_SKILL, ending)
    first = next(item for item in scene.causes(SkillText(path="s", after="")) if item.cause is Cause.UNSTABLE)
    assert first.what == "hit the limit of 600 s" and first.seen == (10, 10)


def test_a_cut_off_answer_is_named() -> None:
    found = Scene(a_trace("python export.py", answer="I will now"), SLOW).causes(SkillText(path="s", after=""))
    assert found[0].cause is Cause.TRUNCATED and found[0].what == "I will now"


def test_an_unsafe_step_cites_the_step_and_the_line_that_brought_it() -> None:
    scene = Scene(a_trace("rm -rf --no-preserve-root /"), SLOW)
    for arm, value in ((Arm.WITH_SKILL, 0.0), (Arm.PREVIOUS, 1.0)):
        scene.score(arm, metric="security", value=value, because="deletes the root folder", cites=(2,))
    after = BEFORE + "Clean up with `rm -rf --no-preserve-root /`.\n"
    first = next(i for i in scene.causes(SkillText(path="s", after=after, before=BEFORE)) if i.cause is Cause.UNSAFE)
    assert first.place is not None and first.place.line == 7 and first.cites[0][1] == 2


def test_more_calls_for_no_better_answer_is_named_when_nothing_else_is() -> None:
    long = a_trace(*(f"cat {n}" for n in range(9)))
    found = Scene(long, SLOW, values=(1.0, 1.0)).causes(SkillText(path="s", after=""))
    assert [item.cause for item in found] == [Cause.MORE_CALLS]


def test_a_loss_that_nothing_explains_is_said_without_a_suggestion() -> None:
    scene = Scene(SLOW, SLOW)
    scene.score(Arm.WITH_SKILL, metric="skill_execution", value=1.0, parts=(Part(name="activation", value=1.0),))
    (only,) = scene.causes(SkillText(path="s", after=BEFORE, before=BEFORE))
    assert only.cause is Cause.MISUSED and only.suggestion == "" and only.place is None


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_where_nothing_changed_no_loss_is_named(level: float) -> None:
    """Neither for a line that every run follows, nor for a skill that every run reads."""
    for traces, text in (((FAST, SLOW), TEXT), ((SLOW, SLOW), replace(TEXT, after=BEFORE))):
        scene = Scene(*traces, values=(level, level))
        scene.score(Arm.WITH_SKILL, metric="skill_execution", value=1.0, parts=(Part(name="activation", value=1.0),))
        assert scene.causes(text) == ()


def test_where_one_case_fell_as_far_as_another_rose_only_a_line_is_blamed() -> None:
    for traces, text, expected in (
        ((FAST, SLOW), TEXT, [(Cause.MISUSED, ("split",))]),
        ((SLOW, SLOW), replace(TEXT, after=BEFORE), []),
    ):
        scene = Scene(*traces)
        up = {t.digest for t in scene.trials if t.case == "vat"}
        scene.scores = [
            replace(s, value=1 - s.value) if s.trial in up and s.value is not None else s for s in scene.scores
        ]
        scene.score(Arm.WITH_SKILL, metric="skill_execution", value=1.0, parts=(Part(name="activation", value=1.0),))
        assert [(item.cause, item.cases) for item in scene.causes(text)] == expected


def test_no_suggestion_without_a_cite_in_any_class() -> None:
    for scene in (Scene(FAST, SLOW), Scene(SLOW, SLOW), Scene(a_trace("ls", answer="x"), SLOW)):
        for item in scene.causes():
            assert not item.suggestion or item.place is not None or item.cites


def test_a_skill_that_helps_is_not_diagnosed() -> None:
    assert Scene(FAST, SLOW, values=(1.0, 0.0)).causes() == ()


def test_a_change_that_is_better_and_still_no_better_than_no_skill_is_compared_with_no_skill() -> None:
    scene = Scene(FAST, SLOW, values=(0.6, 0.2))
    rows = {Arm.BASELINE: dict.fromkeys(CASES, [1.0] * 5)}
    trials, scores = a_comparison(rows, looks=(5,))
    bare = a_trace("head ledger.csv")
    scene.trials += trials
    scene.scores = [
        *(replace(s, value=float(i % 5 < 3)) if s.value == 0.6 else s for i, s in enumerate(scene.scores)),
        *scores,
    ]
    scene.scores = [s if s.value in (0.0, 1.0) else replace(s, value=0.0) for s in scene.scores]
    scene.traces |= {t.digest: bare for t in trials}
    first = scene.causes()[0]
    assert first.cause is Cause.MISUSED and first.seen == (10, 10) and first.compared == (0, 10)
    assert first.other is not None and first.other.arm is Arm.BASELINE
    assert first.place is not None and first.place.side == "head"


def test_traces_that_are_not_at_hand_lose_the_cause_and_not_the_run() -> None:
    scene = Scene(FAST, SLOW)
    scene.traces = {}
    assert scene.causes() == ()


def test_changed_lines_carry_their_own_numbers_and_signals() -> None:
    added, removed = changed_lines(BEFORE, AFTER)
    assert [line.line for line in added] == [5] and "--fast" in added[0].signals and "export.py" in added[0].signals
    assert [line.line for line in removed] == [5, 6]


def test_score_of_another_trial_is_no_evidence() -> None:
    scene = Scene(FAST, SLOW)
    stray: list[Trial] = []
    extra: list[Score] = [a_score("0" * 64, metric="security", value=0.0)]
    assert [i.cause for i in scene.causes()] == [
        i.cause
        for i in diagnose(
            summarise(scene.trials, scene.scores, LivePlan(looks=(5,))),
            [*scene.trials, *stray],
            [*scene.scores, *extra],
            scene.traces,
            TEXT,
        )
    ]
