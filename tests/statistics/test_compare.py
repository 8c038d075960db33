"""From evidence to the word: one path, whoever asks."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.estimate import Contrast
from aces_ci.core.evidence import Planned
from aces_ci.core.lift import OUTCOME, SIX, outcomes, table
from aces_ci.core.live import LiveSummary, Unfair, Word
from aces_ci.core.live_plan import LivePlan, PlannedCase
from aces_ci.core.score import Part, Score
from aces_ci.core.trial import Arm, Ending, Flag, Trial
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.decide import stop_reason
from tests.builders import SKILL, a_changed_skill, a_comparison, a_run, a_score, a_trial, flagged

GOOD, BAD = [1.0] * 8, [0.0] * 8
CASES = ("c1", "c2", "c3", "c4")


def every(values: list[float | None], cases: tuple[str, ...] = CASES) -> dict[str, list[float | None]]:
    return dict.fromkeys(cases, values)


def coin(rate: float, seed: int, attempts: int = 8) -> dict[str, list[float | None]]:
    rng = Random(seed)
    return {case: [float(rng.random() < rate) for _ in range(attempts)] for case in CASES}


def told(
    outcomes: dict[Arm, dict[str, list[float | None]]], plan: LivePlan | None = None, **changes: object
) -> LiveSummary:
    return summarise(*a_comparison(outcomes, **changes), plan or LivePlan())


def metric(summary: LiveSummary, name: str) -> float:
    row = next(row for row in summary.metrics if row.metric == name)
    assert row.lift is not None and row.lift.estimate is not None
    return row.lift.estimate.point


def test_a_clear_drop_is_regressed_at_the_first_look_and_its_mirror_improved() -> None:
    drop = told({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    rise = told({Arm.WITH_SKILL: every(GOOD), Arm.PREVIOUS: every(BAD)})
    assert (drop.word, drop.look, rise.word, rise.look) == (Word.REGRESSED, 1, Word.IMPROVED, 1)
    assert drop.change is not None and rise.change is not None
    assert drop.change.p == pytest.approx(rise.change.p)


def test_word_and_numbers_do_not_depend_on_the_order_of_the_evidence() -> None:
    trials, scores = a_comparison(
        {Arm.WITH_SKILL: coin(0.4, 1), Arm.PREVIOUS: coin(0.8, 2), Arm.BASELINE: coin(0.3, 3)}
    )
    once = summarise(trials, scores, LivePlan(cases={case: PlannedCase() for case in CASES}))
    rng = Random(4)
    rng.shuffle(trials)
    rng.shuffle(scores)
    again = summarise(trials, scores, LivePlan(cases={case: PlannedCase() for case in CASES}))
    assert again.change == once.change and again.cases == once.cases and again.word == once.word


def test_trials_of_an_unfinished_look_are_not_peeked_at() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    partial = [t for t in trials if t.attempt <= 2 or (t.attempt == 3 and t.case != "c4")]
    found = summarise(partial, scores, LivePlan())
    assert found.word is Word.CANNOT_TELL and found.look == 0
    assert found.change is not None and found.change.p is None
    assert "first look needs 3 runs" in found.because


def test_a_planned_case_that_never_ran_keeps_the_look_open() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    plan = LivePlan(cases={case: PlannedCase() for case in (*CASES, "c5")})
    assert summarise(trials, scores, plan).look == 0


def test_attempts_beyond_the_cap_change_nothing() -> None:
    arms = {Arm.WITH_SKILL: coin(0.5, 5, 20), Arm.PREVIOUS: coin(0.5, 6, 20)}
    long, short = told(arms), told({arm: {c: v[:8] for c, v in rows.items()} for arm, rows in arms.items()})
    assert long.change == short.change and long.word == short.word


def test_a_retried_trial_stands_in_the_slot_of_the_lost_one() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([0.0, 0.0, None]), Arm.PREVIOUS: every([1.0] * 3)})
    lost = next(t for t in trials if t.missing)
    retried = replace(lost, digest="f" * 64, ending=Ending.FINISHED)
    found = summarise([*trials, retried], [*scores, a_score(retried, value=0.0)], LivePlan())
    assert found.missing == 3
    assert summarise(trials, scores, LivePlan()).missing == 4


def test_agent_failure_and_timeout_are_results_and_lost_trials_are_not() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([1.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    for ending in (Ending.AGENT_FAILED, Ending.TIMED_OUT):
        crashed = [replace(t, ending=ending) if t.arm is Arm.WITH_SKILL else t for t in trials]
        graded = [s for s in scores if s.trial not in {t.digest for t in crashed if t.ending is ending}]
        found = summarise(crashed, graded, LivePlan())
        assert found.word is Word.REGRESSED and found.missing == 0 and found.failed == 12
    unscored = [s for s in scores if s.trial not in {t.digest for t in trials if t.arm is Arm.WITH_SKILL}]
    silent = summarise(trials, unscored, LivePlan())
    assert silent.word is Word.NO_VERDICT and Unfair.MISSING in silent.unfair


def test_more_changed_skills_share_the_alpha() -> None:
    arms = {Arm.WITH_SKILL: every([0.0] * 3, ("c1", "c2")), Arm.PREVIOUS: every([1.0] * 3, ("c1", "c2"))}
    alone, crowd = told(arms, LivePlan(looks=(3,))), told(arms, LivePlan(looks=(3,), skills=12))
    assert alone.word is Word.REGRESSED and crowd.word is Word.CANNOT_TELL
    assert crowd.alpha == pytest.approx(0.025 / 12)
    both = [*a_comparison(arms)[0], *a_comparison(arms, skill="skills/b")[0]]
    scores = [*a_comparison(arms)[1], *a_comparison(arms, skill="skills/b")[1]]
    lines = [a_run(), a_changed_skill(), a_changed_skill("skills/b"), *both, *scores]
    assert {skill.live.alpha for skill in assemble(lines).skills if skill.live} == {0.0125}


def test_a_lift_below_the_floor_is_no_verdict_word_even_beyond_chance() -> None:
    fine = [0.50, 0.52, 0.54, 0.50, 0.52, 0.54, 0.50, 0.52]
    arms = {Arm.WITH_SKILL: every(fine), Arm.PREVIOUS: every([value + 0.04 for value in fine])}
    found = told(arms, LivePlan(margin=0.02))
    assert found.crossed and found.word is Word.CANNOT_TELL and "smaller than the floor of 5 points" in found.because
    assert told(arms, LivePlan(floor=0.01)).word is Word.REGRESSED
    assert told(arms, LivePlan(looks=(8,))).word is Word.NO_DIFFERENCE
    early = told(arms)
    assert early.look == 1 and early.word is Word.CANNOT_TELL, "crossed early and too small is no end of the looks"
    assert "smaller than the floor" in early.because


def test_no_difference_is_asked_once_where_the_looks_end() -> None:
    many = tuple(f"c{number}" for number in range(20))
    plan = LivePlan(looks=(5, 10))
    half, whole = ({arm: every([1.0] * runs, many) for arm in (Arm.WITH_SKILL, Arm.PREVIOUS)} for runs in (5, 10))
    assert told(half, plan).word is Word.CANNOT_TELL
    assert told(whole, plan).word is Word.NO_DIFFERENCE


def test_a_word_stays_unsaid_while_the_interval_still_holds_zero() -> None:
    arms = {Arm.WITH_SKILL: every([0.48] * 8), Arm.PREVIOUS: every([0.5] * 8)}
    trials, scores = a_comparison(arms)
    found = summarise(trials, scores, LivePlan(floor=0.01))
    assert found.crossed and found.word is Word.CANNOT_TELL and "still holds 0" in found.because
    assert stop_reason(trials, scores, LivePlan(floor=0.01)) == found.because


def test_stored_main_informs_and_never_says_regressed() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    stored = [replace(t, recorded="2026-11-26") if t.arm is Arm.PREVIOUS else t for t in trials]
    found = summarise(stored, scores, LivePlan())
    assert found.word is Word.NO_VERDICT and found.unfair == (Unfair.STORED,)
    assert found.change is not None and found.change.estimate is not None and found.change.p is None
    assert "2026-11-26" in found.cannot_gate


def test_a_stored_no_skill_arm_leaves_the_change_alone() -> None:
    trials, scores = a_comparison(
        {Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD), Arm.BASELINE: every([0.0, 1.0] * 4)}
    )
    stored = [replace(t, recorded="2026-11-26") if t.arm is Arm.BASELINE else t for t in trials]
    found = summarise(stored, scores, LivePlan())
    assert found.word is Word.REGRESSED and found.cannot_gate == ""
    assert found.lift is not None and found.lift.p is None and "recorded" in found.lift.because


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        (Flag.TAMPERED, Unfair.TAMPERED),
        (Flag.CONTAMINATED, Unfair.CONTAMINATED),
        (Flag.UNEQUAL_TOOLS, Unfair.UNEQUAL_TOOLS),
    ],
)
@pytest.mark.parametrize("arm", [Arm.WITH_SKILL, Arm.PREVIOUS])
def test_a_spoilt_arm_gives_no_verdict_and_no_estimate(flag: Flag, reason: Unfair, arm: Arm) -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    found = summarise(flagged(trials, arm, flag), scores, LivePlan())
    assert found.word is Word.NO_VERDICT and reason in found.unfair
    assert found.change is not None and found.change.estimate is None and found.change.because
    assert all(row.change is None or row.change.estimate is None for row in found.metrics)


def test_unverified_traces_keep_their_word_and_lose_the_gate() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    found = summarise(flagged(trials, Arm.WITH_SKILL, Flag.UNVERIFIED), scores, LivePlan())
    assert found.word is Word.REGRESSED and "gateway" in found.cannot_gate


@pytest.mark.parametrize("change", [{"resolved_model": "other"}, {"harness_version": "9.9"}])
def test_arms_of_different_versions_are_not_compared(change: dict[str, str]) -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    mixed = [replace(t, **change) if t.arm is Arm.PREVIOUS else t for t in trials]  # type: ignore[arg-type]
    found = summarise(mixed, scores, LivePlan())
    assert found.word is Word.NO_VERDICT and found.unfair == (Unfair.VERSIONS,)


def test_arms_graded_by_different_judges_are_not_compared() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    old = {t.digest for t in trials if t.arm is Arm.PREVIOUS}
    found = summarise(trials, [replace(s, method="another") if s.trial in old else s for s in scores], LivePlan())
    assert found.word is Word.NO_VERDICT and found.unfair == (Unfair.JUDGE,)


def test_outcome_is_blind_to_merely_reading_the_skill() -> None:
    """Equal answers, one arm reads the skill: the composite moves, the outcome does not."""
    trials, scores = a_comparison({Arm.WITH_SKILL: every([1.0] * 3), Arm.BASELINE: every([1.0] * 3)})
    for trial in trials:
        read = float(trial.arm is Arm.WITH_SKILL)
        scores += [
            a_score(trial, metric="accuracy_outcome", value=0.75),
            a_score(trial, metric="accuracy", value=(3 + read) / 5),
        ]
        scores += [a_score(trial, metric="skill_execution", value=read), a_score(trial, metric="security", value=1.0)]
        scores += [a_score(trial, metric=name, value=0.5 + read / 4) for name in ("skill_efficiency", "behavior_check")]
    found = summarise(trials, scores, LivePlan(looks=(3,)))
    assert found.lift is not None and found.lift.estimate is not None
    assert found.lift.estimate.point == 0.0 and found.lift.estimate.low < 0 < found.lift.estimate.high
    assert metric(found, "composite") == pytest.approx((0.2 + 1.0 + 0.25 + 0.25) / 6)


def test_the_papers_arithmetic_composite_and_outcome_only() -> None:
    """Lifts by metric of the ACES paper give its composite .2134 and its outcome-only .1799."""
    lifts = dict(zip(SIX, (0.020, 0.3263, 0.2758, 0.1431, 0.2167, 0.2983), strict=True))
    trials = [
        a_trial(case=f"c{number}", arm=arm, attempt=attempt)
        for number in range(8)
        for arm in (Arm.WITH_SKILL, Arm.BASELINE)
        for attempt in (1, 2, 3)
    ]
    rng, scores = Random(1), []
    for trial in trials:
        for name, lift in lifts.items():
            wobble = (Random(f"{trial.case}{trial.attempt}{name}").random() - 0.5) / 10
            value = 0.5 + wobble + (lift if trial.arm is Arm.WITH_SKILL else 0.0)
            scores.append(a_score(trial, metric=name, value=value))
            if name == "accuracy":
                scores.append(a_score(trial, metric="accuracy_outcome", value=value))
    rng.shuffle(scores)
    found = summarise(trials, scores, LivePlan(looks=(3,)))
    assert round(metric(found, "composite"), 4) == 0.2134
    assert found.lift is not None and found.lift.estimate is not None
    assert round(found.lift.estimate.point, 4) == 0.1799
    for name, lift in lifts.items():
        assert metric(found, name) == pytest.approx(lift)
    assert found.lift.estimate.point == pytest.approx((lifts["accuracy"] + lifts["goal_accuracy"]) / 2)


def test_composite_is_the_mean_over_metrics_also_where_one_applies_to_some_cases_only() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: coin(0.9, 7, 3), Arm.BASELINE: coin(0.4, 8, 3)})
    for trial in trials:
        if trial.case in ("c1", "c2"):
            bonus = 0.3 if trial.arm is Arm.WITH_SKILL else 0.0
            scores.append(a_score(trial, metric="behavior_check", value=0.5 + bonus))
    found = summarise(trials, scores, LivePlan(looks=(3,)))
    assert metric(found, "composite") == pytest.approx((metric(found, "goal_accuracy") + 0.3) / 2)


def test_weights_move_the_composite_and_never_the_outcome() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: coin(0.9, 7, 3), Arm.BASELINE: coin(0.4, 8, 3)})
    scores += [a_score(t, metric="security", value=1.0) for t in trials]
    heavy = summarise(trials, scores, LivePlan(looks=(3,), weights={"security": 0.0, "goal_accuracy": 1.0}))
    even = summarise(trials, scores, LivePlan(looks=(3,)))
    assert metric(heavy, "composite") == pytest.approx(metric(heavy, "goal_accuracy"))
    assert metric(even, "composite") == pytest.approx(metric(even, "goal_accuracy") / 2)
    assert heavy.lift == even.lift


def test_a_trial_the_judge_could_not_score_is_missing_never_zero() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([1.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    first = scores[0]
    found = summarise(trials, [replace(first, value=None, because="the judge refused"), *scores[1:]], LivePlan())
    assert found.missing == 1 and found.change is not None and found.change.estimate is not None
    assert found.change.estimate.point == 0.0
    assert any("the judge refused" in note for note in found.notes)
    assert found.missing_bounds is not None and found.missing_bounds[0] < 0 <= found.missing_bounds[1]


def test_bases_evals_decide_and_the_heads_are_a_second_table() -> None:
    base, base_scores = a_comparison({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)})
    head, head_scores = a_comparison({Arm.WITH_SKILL: every(GOOD), Arm.PREVIOUS: every(GOOD)}, side="head")
    found = summarise(base + head, base_scores + head_scores, LivePlan())
    assert found.word is Word.REGRESSED and found.cannot_gate == ""
    assert found.head is not None and found.head.word is not Word.REGRESSED and found.head.cannot_gate
    alone = summarise(head, head_scores, LivePlan())
    assert "none on the base side" in alone.cannot_gate


def test_harnesses_are_pooled_as_strata_and_one_that_breaks_alone_is_flagged() -> None:
    rows = {"claude-code": GOOD[:5], "codex": BAD[:5]}
    trials, scores = [], []
    for harness, values in rows.items():
        part = a_comparison({Arm.WITH_SKILL: every(values), Arm.PREVIOUS: every(GOOD[:5])}, harness=harness)
        trials += part[0]
        scores += part[1]
    found = summarise(trials, scores, LivePlan(looks=(5,)))
    assert found.word is Word.REGRESSED and found.agents == 2
    assert found.change is not None and found.change.estimate is not None
    assert found.change.estimate.point == pytest.approx(-0.5) and found.change.pairs == 4
    assert {group.name: group.flagged for group in found.groups if group.kind == "harness"} == {
        "claude-code": False,
        "codex": True,
    }


def test_buckets_and_negative_cases_are_told_apart() -> None:
    cases = {
        "c1": PlannedCase(bucket="explicit"),
        "c2": PlannedCase(bucket="implicit"),
        "c3": PlannedCase(negative=True),
        "c4": PlannedCase(),
    }
    found = told({Arm.WITH_SKILL: every(GOOD), Arm.PREVIOUS: every(BAD)}, LivePlan(cases=cases))
    assert [group.name for group in found.groups if group.kind == "bucket"] == ["explicit", "implicit"]
    assert [row.negative for row in found.cases] == [False, False, True, False]


def test_routing_premium_is_group_minus_isolated_lift_with_an_interval() -> None:
    trials, scores = [], []
    for mode, rate in (("group", 0.5), ("isolated", 0.9)):
        part = a_comparison({Arm.WITH_SKILL: coin(rate, 11), Arm.BASELINE: coin(0.3, 12)}, mode=mode)
        trials += part[0]
        scores += part[1]
    found = summarise(trials, scores, LivePlan())
    assert found.mode == "group" and found.routing_premium is not None
    assert (
        found.routing_premium.low < found.routing_premium.point < 0 < found.routing_premium.high
        or found.routing_premium.high < 0
    )
    assert told({Arm.WITH_SKILL: coin(0.5, 1), Arm.BASELINE: coin(0.3, 2)}).routing_premium is None


def test_ratios_have_intervals_or_say_why_not() -> None:
    rng = Random(3)
    trials, scores = a_comparison({Arm.WITH_SKILL: coin(0.5, 1), Arm.PREVIOUS: coin(0.5, 2)})
    varied = [replace(t, seconds=(20 if t.arm is Arm.WITH_SKILL else 40) * rng.uniform(0.8, 1.2)) for t in trials]
    found = {row.what: row for row in summarise(varied, scores, LivePlan()).ratios}
    seconds = found["seconds"].estimate
    assert seconds is not None and seconds.low < -0.5 + 0.1 and seconds.high < -0.35
    assert found["tokens"].estimate is None and found["tokens"].because
    unpriced = [replace(t, usage=replace(t.usage, usd_micros=None)) for t in varied]
    row = next(r for r in summarise(unpriced, scores, LivePlan()).ratios if r.what == "usd")
    assert row.estimate is None and "price" in row.because


def test_passes_have_an_interval_inside_the_scale_on_any_suite_or_a_reason() -> None:
    few = told({Arm.WITH_SKILL: coin(0.5, 1), Arm.PREVIOUS: every([0.0] * 8)})
    for row in few.passes:
        assert row.k == 3 and row.cases == 4
        for found in (row.some, row.every):
            assert found is not None and 0 <= found.low <= found.point <= found.high <= 1 and found.low < found.high
            assert found.n == 4
    short = told({Arm.WITH_SKILL: coin(0.5, 1, 2), Arm.PREVIOUS: coin(0.5, 2, 2)}).passes
    assert all(row.some is None and "fewer than 3 scored runs" in row.because for row in short)
    lone = {"c1": [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]}
    one = told({Arm.WITH_SKILL: lone, Arm.PREVIOUS: lone}).passes
    assert all(row.every is None and "fewer than 3 groups of 3 runs" in row.because for row in one)


WITH, MAIN, NONE = Arm.WITH_SKILL, Arm.PREVIOUS, Arm.BASELINE
ALL = (WITH, MAIN, NONE)


@pytest.mark.parametrize(
    ("ran", "planned", "word", "said"),
    [
        ((WITH, NONE), ALL, Word.NO_VERDICT, "no run came of the version on the base"),
        ((MAIN, NONE), ALL, Word.NO_VERDICT, "no run came of this change"),
        ((NONE,), ALL, Word.NO_VERDICT, "no run came of this change and of the version on the base"),
        ((WITH,), (WITH, NONE), Word.NO_VERDICT, "no run came of agents without the skill"),
        ((WITH, MAIN), ALL, Word.IMPROVED, "beyond chance against the base"),
        ((WITH, NONE), (WITH, NONE), Word.IMPROVED, "beyond chance against no skill"),
        ((WITH, NONE), (), Word.IMPROVED, "beyond chance against no skill"),
        ((WITH,), (WITH,), Word.CANNOT_TELL, "only one arm has run"),
    ],
)
def test_a_contrast_that_was_planned_and_not_measured_is_not_replaced_by_another(
    ran: tuple[Arm, ...], planned: tuple[Arm, ...], word: Word, said: str
) -> None:
    arms = {arm: every(GOOD if arm is WITH else BAD) for arm in ran}
    found = told(arms, LivePlan(arms=planned))
    assert found.word is word and said in found.because
    assert (Unfair.ABSENT in found.unfair) is (word is Word.NO_VERDICT)
    if word is Word.NO_VERDICT and MAIN in planned:
        from aces_ci.core.gate import Mode, Outcome
        from aces_ci.core.gates_live import inconclusive_gate, invalid_gate, regression_gate

        assert found.change is not None and found.change.estimate is None and said in found.change.because
        assert regression_gate(found, Mode.BLOCK, "s").outcome is Outcome.UNDECIDABLE
        assert invalid_gate(found, None, "s").outcome is Outcome.MET, "nobody was unfair"
        assert inconclusive_gate(found, Mode.ADVISE, "s").outcome is Outcome.MET, "it is incomplete"


def test_a_planned_agent_that_never_ran_keeps_the_look_open() -> None:
    arms = {WITH: every(GOOD), MAIN: every(BAD)}
    who = ("claude-code", "claude-sonnet-5")
    assert told(arms, LivePlan(agents=(who,))).word is Word.IMPROVED
    short = told(arms, LivePlan(agents=(who, ("codex", "gpt-6"))))
    assert short.word is Word.CANNOT_TELL and short.look == 0
    assert (short.planned, short.missing) == (2 * 64, 64)


def test_a_case_that_the_change_adds_keeps_no_look_of_the_deciding_side_open() -> None:
    base, base_scores = a_comparison({WITH: every([0.0] * 3), MAIN: every([1.0] * 3)})
    more = (*CASES, "c5")
    head, head_scores = a_comparison({WITH: every([0.0] * 3, more), MAIN: every([1.0] * 3, more)}, side="head")
    planned = [Planned(skill=SKILL, side=side, cases={case: {} for case in of}) for side, of in SIDES.items()]
    lines = [a_run(), a_changed_skill(), *planned, *base, *head, *base_scores, *head_scores]
    (skill,) = assemble(lines).skills
    assert skill.live is not None and skill.live.word is Word.REGRESSED and skill.live.look == 1
    without = [line for line in lines if getattr(line, "side", "") != "base" or isinstance(line, Planned)]
    (skill,) = assemble(without).skills
    assert skill.live is not None and skill.live.word is Word.NO_VERDICT, "the head's own cases do not step in"
    assert skill.live.head is not None and "so nothing can be said" in skill.live.because


SIDES = {"base": CASES, "head": (*CASES, "c5")}


@pytest.mark.parametrize(
    ("mine", "theirs", "word"),
    [
        # Pooled it is 5 of 32, less than a fifth; the arm that lost them lost nearly a third.
        (0, 5, Word.NO_VERDICT),
        (5, 0, Word.NO_VERDICT),
        (3, 3, Word.IMPROVED),
        (0, 3, Word.IMPROVED),
        (0, 0, Word.IMPROVED),
    ],
)
def test_the_fifth_that_may_be_lost_is_that_of_the_arm_that_lost_more(mine: int, theirs: int, word: Word) -> None:
    def arm(value: float, lost: int) -> dict[str, list[float | None]]:
        return {case: [None if lost > 4 * n + k else value for n in range(4)] for k, case in enumerate(CASES)}

    found = told({WITH: arm(1.0, mine), MAIN: arm(0.0, theirs)}, LivePlan(looks=(4,)))
    assert found.word is word and found.lost == (mine, 16, theirs, 16)
    assert (found.missing_bounds is None) is (mine + theirs == 0), "equal losses have their bounds too"
    if word is Word.NO_VERDICT:
        assert f"5 of 16 runs of {'this change' if mine else 'the base version'} could not be scored" in found.because


def test_a_direction_that_equal_losses_could_turn_is_not_said() -> None:
    """Rule R passes equal losses; .54 against .50 over twenty cases is beyond chance and not beyond what was lost."""
    many = tuple(f"c{n}" for n in range(20))
    low = [0.50, 0.51, 0.50, 0.51, 0.50, 0.51, 0.50, None]
    arms = {WITH: every([None if v is None else v + 0.06 for v in low], many), MAIN: every(low, many)}
    found = told(arms, LivePlan(looks=(8,), margin=0.0))
    assert found.crossed and not found.lost_unequally
    assert found.word is Word.CANNOT_TELL and found.because == "missing runs could explain the difference"
    whole = {arm: {case: row[:7] for case, row in rows.items()} for arm, rows in arms.items()}
    assert told(whole, LivePlan(looks=(7,))).word is Word.IMPROVED


def test_what_is_ruled_out_is_ruled_out_whatever_the_lost_runs_were() -> None:
    same = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, None]
    lost = told({WITH: every(same), MAIN: every(same)}, LivePlan(looks=(8,)))
    whole = told({WITH: every(same[:7]), MAIN: every(same[:7])}, LivePlan(looks=(7,)))
    assert lost.rules_out_drop is not None and whole.rules_out_drop is not None
    assert lost.rules_out_drop > whole.rules_out_drop + 0.1


@pytest.mark.parametrize("spoil", ["tampered", "contaminated", "stored"])
def test_nothing_is_set_beside_an_arm_that_may_not_be_compared(spoil: str) -> None:
    rows = {"claude-code": BAD[:5], "codex": BAD[:5]}
    trials, scores = [], []
    for harness, values in rows.items():
        own = a_comparison({WITH: every(values), MAIN: every([1.0] * 5), NONE: every([0.0, 1.0] * 2)}, harness=harness)
        trials += own[0]
        scores += own[1]
    flags = {"tampered": Flag.TAMPERED, "contaminated": Flag.CONTAMINATED}
    change = {"recorded": "2026-11-26"} if spoil == "stored" else {"flags": (flags[spoil],)}
    spoilt = [replace(t, **change) if t.arm is MAIN else t for t in trials]  # type: ignore[arg-type]
    fair, found = summarise(trials, scores, LivePlan()), summarise(spoilt, scores, LivePlan())
    assert any(row.flagged for row in fair.cases) and any(row.flagged for row in fair.groups)
    assert not any(row.flagged for row in found.cases) and not any(row.flagged for row in found.groups)
    changes = [row for row in found.ratios if row.contrast is Contrast.CHANGE]
    assert changes and all(row.estimate is None and row.because for row in changes)
    if spoil != "stored":
        assert all(row.change is None or row.change.estimate is None for row in (*found.groups, *found.metrics))
        assert found.missing_bounds is None


def test_numbers_count_cases_and_not_strata() -> None:
    trials, scores = [], []
    for harness in ("claude-code", "codex", "gemini-cli"):
        own = a_comparison({WITH: coin(0.7, 1, 5), MAIN: coin(0.5, 2, 5), NONE: coin(0.2, 3, 5)}, harness=harness)
        costs = [replace(t, usage=replace(t.usage, usd_micros=1000 + 7 * n)) for n, t in enumerate(own[0])]
        trials += costs
        scores += own[1]
    found = summarise(trials, scores, LivePlan())
    counted = [row.estimate.n for row in found.ratios if row.estimate] + [
        row.outcome.n for row in found.arms if row.outcome
    ]
    counted += [row.some.n for row in found.passes if row.some]
    assert counted and set(counted) == {4}


def test_runs_that_do_not_count_are_told_apart_from_those_that_were_planned() -> None:
    early = told({WITH: every(BAD), MAIN: every(GOOD)})
    assert (early.look, early.planned, early.missing, early.beyond) == (1, 24, 0, 40)
    trials, scores = a_comparison({WITH: every([0.0] * 3), MAIN: every([1.0] * 3)})
    plan = LivePlan(
        cases={case: PlannedCase() for case in (*CASES, "c5")}, agents=(("claude-code", "claude-sonnet-5"),)
    )
    short = summarise(trials, scores, plan)
    assert (short.planned, short.missing) == (30, 6), "a case that never ran is not finished"


def test_p_stands_beside_what_it_is_held_against() -> None:
    for arms in ({WITH: every(GOOD), MAIN: every(BAD)}, {WITH: coin(0.5, 1), MAIN: coin(0.5, 2)}):
        found = told(arms)
        assert found.change is not None and found.change.p is not None and found.change.threshold is not None
        assert (found.change.p <= found.change.threshold) is found.crossed
    half = told({WITH: every(GOOD), MAIN: every(BAD)}, LivePlan(skills=2)).change
    assert half is not None and half.threshold is not None and half.threshold < 0.025


def test_a_plan_that_nothing_can_settle_any_more_stops_and_says_so() -> None:
    plan = LivePlan(looks=(1, 2, 3))
    trials, scores = a_comparison({WITH: every([1.0], ("c1", "c2")), MAIN: every([1.0], ("c1", "c2"))})
    found = summarise(trials, scores, plan)
    assert found.futile and found.because == "no completion of the plan can cross a boundary any more"
    assert stop_reason(trials, scores, plan) == found.because
    assert "go_on" not in {option.kind for option in found.options}, "what cannot settle it is not offered"


def test_skill_use_has_its_interval_in_every_form() -> None:
    trials, scores = a_comparison({WITH: coin(0.7, 1, 3), MAIN: coin(0.5, 2, 3)})
    for number, trial in enumerate(t for t in trials if t.arm is WITH):
        trigger = float(number % 4 > 0)
        values = {"skill_use": trigger * 0.8, "skill_use_trigger": trigger, "skill_use_compliance": number % 3 / 2}
        scores += [a_score(trial, metric=name, value=value) for name, value in values.items()]
    found = told_of(trials, scores)
    assert found.skill_use is not None
    levels = {row.form: row for row in found.skill_use_levels}
    assert set(levels) == {"su", "trigger", "compliance", "compliance_given_trigger", "sham_rate"}
    for row in levels.values():
        assert row.runs and row.level.n and 0 <= row.level.low <= row.level.point <= row.level.high <= 1
        assert row.level.low < row.level.high
    assert levels["su"].level.point == pytest.approx(found.skill_use.su)
    assert levels["trigger"].runs == 12 and levels["sham_rate"].runs == 9


def told_of(trials: list[Trial], scores: list[Score]) -> LiveSummary:
    return summarise(trials, scores, LivePlan())


def test_an_undecided_run_says_what_it_rules_out_what_it_could_see_and_what_would_settle_it() -> None:
    found = told({Arm.WITH_SKILL: coin(0.6, 1, 3), Arm.PREVIOUS: coin(0.5, 2, 3), Arm.BASELINE: coin(0.4, 3, 3)})
    assert found.word is Word.CANNOT_TELL and found.look == 1
    assert found.rules_out_drop is not None and 0 < found.rules_out_drop < 1
    assert found.smallest_detectable is not None and found.smallest_detectable > 0.4
    go_on, more_cases, *_ = found.options
    assert (go_on.kind, go_on.attempts, go_on.runs) == ("go_on", 8, 4 * 5 * 3)
    assert (more_cases.kind, more_cases.cases, more_cases.runs) == ("more_cases", 10, 10 * 5 * 3)
    assert go_on.usd_micros == pytest.approx(60 * 70_000)
    assert go_on.shows < found.smallest_detectable


def test_the_target_is_never_priced_past_the_last_look_of_the_plan() -> None:
    """Attempts past it would not be counted, so only cases are offered beyond it."""
    open_ = {WITH: every([1.0, 0.0, 1.0]), MAIN: every([0.0, 1.0, 0.0])}
    for cap in ((3,), (3, 5), (3, 5, 8)):
        found = told(open_, LivePlan(looks=cap, target_lift=0.10))
        (target,) = (option for option in found.options if option.kind == "target")
        assert target.attempts <= cap[-1] and target.cases > len(CASES) and target.shows <= 0.105


def test_price_of_the_target_never_uses_the_observed_lift() -> None:
    """Two runs with equal spread and different lifts get the same offers."""
    near = told({Arm.WITH_SKILL: every([1.0, 0.0, 1.0]), Arm.PREVIOUS: every([1.0, 0.0, 1.0])})
    away = told({Arm.WITH_SKILL: every([1.0, 0.0, 1.0]), Arm.PREVIOUS: every([1.0, 0.0, 0.0])})
    assert near.options and [option.attempts for option in near.options] == [option.attempts for option in away.options]


def test_engine_stops_when_decided_futile_or_foul_and_goes_on_else() -> None:
    three = LivePlan()
    decided = a_comparison({Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    assert stop_reason(*decided, three) == "decided: regressed"
    same = a_comparison({Arm.WITH_SKILL: every([1.0, 0.0, 1.0]), Arm.PREVIOUS: every([1.0, 0.0, 1.0])})
    assert stop_reason(*same, three) == "not expected to settle it"
    leaning = a_comparison({Arm.WITH_SKILL: every([1.0, 0.0, 0.0]), Arm.PREVIOUS: every([1.0, 0.0, 1.0])})
    assert stop_reason(*leaning, three) is None
    foul = flagged(leaning[0], Arm.WITH_SKILL, Flag.TAMPERED), leaning[1]
    assert "model never gave" in (stop_reason(*foul, three) or "")
    assert stop_reason(leaning[0][:5], leaning[1], three) is None


def test_a_single_arm_and_an_unscored_case_never_raise() -> None:
    one = told({Arm.WITH_SKILL: every(GOOD)})
    assert one.word is Word.CANNOT_TELL and one.change is None and one.basis is Contrast.LIFT
    trials, _ = a_comparison({Arm.WITH_SKILL: every(GOOD), Arm.PREVIOUS: every(GOOD)})
    empty = summarise(trials, [], LivePlan())
    assert empty.word is Word.NO_VERDICT and "could not be scored" in empty.because
    gone = told({Arm.WITH_SKILL: every([None] * 8), Arm.PREVIOUS: every([None] * 8)})
    assert gone.word is Word.NO_VERDICT


def test_settings_that_are_no_plan_are_refused_by_name() -> None:
    for live, name in (
        ({"attempts": {"looks": [5, 3]}}, "live.attempts.looks"),
        ({"margin": 2.0}, "live.margin"),
        ({"floor": "x"}, "live.floor"),
        ({"weights": {"security": -1}}, "live.weights.security"),
    ):
        with pytest.raises(UsageError, match=name):
            LivePlan.of({"live": live}, "s")
    plan = LivePlan.of({"live": {"attempts": {"looks": [2, 4]}, "max_drop": 0.2}}, "s")
    assert plan.cap == 4 and plan.max_drop == 0.2


def test_spent_alpha_of_lost_runs_is_taken_off() -> None:
    arms = {Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)}
    assert told(arms).word is Word.REGRESSED
    assert told(arms, LivePlan(spent=(0.025, 0.025))).word is Word.CANNOT_TELL
    first = told({Arm.WITH_SKILL: coin(0.5, 1), Arm.PREVIOUS: coin(0.5, 2)})
    assert first.spent[0] > 0


def test_activation_is_counted_where_wanted_and_where_not() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([1.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    for trial in trials:
        name, value = ("avoidance", 0.0) if trial.case == "c4" else ("activation", 1.0)
        scores.append(a_score(trial, metric="skill_execution", value=value, parts=(Part(name=name, value=value),)))
    found = summarise(trials, scores, LivePlan())
    assert found.activation == (9, 9, 3, 3)
    assert [row.negative for row in found.cases] == [False, False, False, True]


def test_the_outcome_metric_of_one_trial_and_the_endpoint_of_many_are_one_number() -> None:
    trials, _ = a_comparison({Arm.WITH_SKILL: {"c1": [1.0]}})
    scores = [
        a_score(trials[0], metric="goal_accuracy", value=1.0),
        a_score(trials[0], metric="accuracy_outcome", value=0.5),
    ]
    assert outcomes(trials, table(scores))[trials[0].digest].value == 0.75
    assert OUTCOME == "outcome"


def test_votes_are_counted_once_and_give_the_flip_rate() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([1.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    voted = [replace(score, agreement=(9, 10)) for score in scores]
    again = [a_score(trial, metric="accuracy", value=1.0, agreement=(0, 10)) for trial in trials]
    found = summarise(trials, [*voted, *again], LivePlan())
    assert found.agreement == (216, 240)
    assert found.flip_rate == pytest.approx((1 - (1 - 0.2) ** 0.5) / 2)
    assert told({Arm.WITH_SKILL: every([1.0] * 3), Arm.PREVIOUS: every([1.0] * 3)}).agreement is None


def test_default_settings_are_the_default_plan() -> None:
    """Two places name the same defaults: the settings' model and the plan."""
    from aces_ci.settings.model import Settings

    plan = LivePlan.of(Settings().model_dump(mode="json"), "s")
    assert replace(plan, seed=0, mode=None) == LivePlan()


def test_a_drop_that_is_not_ruled_out_breaks_the_gate_where_the_policy_asks() -> None:
    from aces_ci.core.gate import Mode, Outcome
    from aces_ci.core.gates_live import regression_gate

    arms = {Arm.WITH_SKILL: coin(0.6, 1, 3), Arm.PREVIOUS: coin(0.6, 2, 3)}
    asked, free = told(arms, LivePlan(max_drop=0.10)), told(arms)
    assert regression_gate(free, Mode.BLOCK, "s").outcome is Outcome.MET
    strict = regression_gate(asked, Mode.BLOCK, "s")
    assert strict.outcome is Outcome.BROKEN and "the policy wants 10" in strict.reason
    assert regression_gate(told(arms, LivePlan(max_drop=0.9)), Mode.BLOCK, "s").outcome is Outcome.MET


def test_worse_than_no_skill_breaks_the_lift_gate_and_only_then() -> None:
    from aces_ci.core.gate import Mode, Outcome
    from aces_ci.core.gates_live import lift_gate

    same = every(GOOD)
    worse = told({Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(BAD), Arm.BASELINE: same})
    fine = told({Arm.WITH_SKILL: same, Arm.PREVIOUS: same, Arm.BASELINE: every(BAD)})
    assert lift_gate(worse, Mode.ADVISE, "s").outcome is Outcome.BROKEN
    assert lift_gate(fine, Mode.ADVISE, "s").outcome is Outcome.MET
    assert lift_gate(told({Arm.WITH_SKILL: same, Arm.PREVIOUS: same}), Mode.ADVISE, "s").outcome is Outcome.UNDECIDABLE
    assert lift_gate(None, Mode.ADVISE, "s", skipped="no key").reason == "no key"


def test_the_engine_goes_on_while_one_of_several_skills_is_open() -> None:
    decided = a_comparison({Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    leaning = {Arm.WITH_SKILL: every([1.0, 0.0, 0.0]), Arm.PREVIOUS: every([1.0, 0.0, 1.0])}
    still = a_comparison(leaning, skill="skills/b")
    plan = LivePlan(skills=2, cases={case: PlannedCase() for case in (*CASES, "of-another-skill")})
    both = [*decided[0], *still[0]], [*decided[1], *still[1]]
    assert stop_reason(*both, plan) is None
    other = a_comparison({Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)}, skill="skills/b")
    both = [*decided[0], *other[0]], [*decided[1], *other[1]]
    assert stop_reason(*both, plan) == "decided: regressed"


def test_a_lost_trial_never_takes_the_slot_of_one_that_was_scored() -> None:
    """Shards are merged in any order: the lost first try may be read after its retry."""
    trials, scores = a_comparison({Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    lost = [replace(t, digest="e" * 63 + str(n), ending=Ending.INFRA_FAILED) for n, t in enumerate(trials[:3])]
    assert summarise([*trials, *lost], scores, LivePlan()).missing == 0
    assert summarise([*lost, *trials], scores, LivePlan()).missing == 0


def test_a_trial_past_the_plan_neither_counts_nor_spoils() -> None:
    trials, scores = a_comparison({Arm.WITH_SKILL: every([0.0] * 3), Arm.PREVIOUS: every([1.0] * 3)})
    past = a_trial(case="c1", attempt=9, flags=(Flag.TAMPERED,))
    assert summarise([*trials, past], scores, LivePlan()).word is Word.REGRESSED


def test_a_boundary_that_lost_trials_could_explain_is_not_a_word() -> None:
    """main loses one run a case and succeeds in all others; with them counted as failures too little is left."""
    this: list[float | None] = [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
    main: list[float | None] = [1.0] * 7 + [None]
    found = told({Arm.WITH_SKILL: every(this), Arm.PREVIOUS: every(main)}, LivePlan(looks=(8,)))
    assert found.crossed and found.word is Word.CANNOT_TELL and found.lost_unequally
    assert found.because == "missing runs could explain the difference"
    assert found.missing_bounds == (-0.25, -0.125) and found.lost == (0, 32, 4, 32)


def test_what_only_informs_leaves_the_regression_gate_undecided() -> None:
    """Unverified traces and the head's own evals may say *regressed*; they may not block."""
    from aces_ci.core.gate import Mode, Outcome
    from aces_ci.core.gates_live import regression_gate

    arms = {Arm.WITH_SKILL: every(BAD), Arm.PREVIOUS: every(GOOD)}
    trials, scores = a_comparison(arms)
    unverified = summarise(flagged(trials, Arm.WITH_SKILL, Flag.UNVERIFIED), scores, LivePlan())
    own_evals = summarise(*a_comparison(arms, side="head"), LivePlan())
    for found in (unverified, own_evals):
        result = regression_gate(found, Mode.BLOCK, "s")
        assert found.word is Word.REGRESSED and result.outcome is Outcome.UNDECIDABLE and not result.blocks
        assert result.reason == found.cannot_gate
    assert regression_gate(summarise(trials, scores, LivePlan()), Mode.BLOCK, "s").blocks
