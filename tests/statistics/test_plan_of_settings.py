"""The comparison that a run plans is the one that the policy asked for, in the main job and at a terminal."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.live import Word
from aces_ci.core.plan import Contender, Subject, make_live_plan, staged_lineup
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.case import Bucket, Case
from aces_ci.core.trial import Arm
from aces_ci.settings.model import Settings
from aces_ci.statistics.power import attainable
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.decide import stop_reason
from aces_ci.trialling import analysis_of, design_of, narrowed
from tests.builders import a_score, a_trial

WHO = Contender(harness="command", version="1", model="m", api=Protocol.MESSAGES, upstream="anthropic")


def subject(cases: int) -> Subject:
    skill = Skill(root="skills/x", manifest="SKILL.md", text="", frontmatter=None, body="", body_line=1)
    asked = tuple(Case(id=f"c{n}", prompt="p", trigger=n > 0, bucket=Bucket.IMPLICIT) for n in range(cases))
    return Subject(skill="skills/x", lineup=Lineup(target=(skill,)), cases=asked)


def settings(**live: object) -> Settings:
    return Settings.model_validate({"live": live})


def test_the_error_that_the_policy_allows_decides_whether_a_plan_can_reach_a_verdict() -> None:
    """5 x 1 has 1/32 as its smallest p: never at .025, and possible for a team that chose .05."""
    looks = {"looks": [1]}
    with pytest.raises(UsageError, match="can never reach a verdict"):
        make_live_plan([subject(5)], [WHO], design_of(settings(attempts=looks)), attainable=attainable)
    keener = design_of(settings(attempts=looks, alpha_regressed=0.05))
    assert make_live_plan([subject(5)], [WHO], keener, attainable=attainable).family == 1


def test_the_analysis_keeps_everything_that_the_policy_says_and_the_looks_that_a_terminal_narrowed() -> None:
    chosen = settings(
        alpha_regressed=0.04,
        floor=0.07,
        margin=0.12,
        target_lift=0.3,
        max_drop=0.25,
        weights={"security": 0},
        workspace={"mode": "group"},
        seed=5,
    )
    design = narrowed(design_of(chosen), attempts=5)
    found = analysis_of(make_live_plan([subject(4)], [WHO], design, attainable=attainable), chosen)
    assert found.looks == (3, 5)
    assert (found.alpha_regressed, found.floor, found.margin, found.target_lift) == (0.04, 0.07, 0.12, 0.3)
    assert (found.max_drop, found.weights["security"], found.mode, found.seed) == (0.25, 0.0, "group", 5)
    assert [case.negative for case in found.cases.values()] == [True, False, False, False]
    assert {case.bucket for case in found.cases.values()} == {"implicit"}


def test_both_workspaces_measure_the_routing_premium_in_one_run_and_the_group_decides() -> None:
    """Group minus isolated needs both lifts from one run; `previous` runs in the workspace that decides alone."""
    near = Skill(
        root="skills/near",
        manifest="SKILL.md",
        text="n",
        frontmatter=None,
        body="",
        body_line=1,
        files={"SKILL.md": SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=1, data=b"n")},
    )
    one = subject(4)
    before = replace(near, root="skills/x")
    both = replace(one, lineup=replace(one.lineup, support=(near,), previous=(before,)))
    design = design_of(settings(workspace={"mode": "both"}, attempts={"looks": [3]}))
    made = make_live_plan([both], [WHO], design, attainable=attainable)
    counts = Counter((row.mode, row.arm) for row in made.trials)
    assert counts == {
        ("group", Arm.WITH_SKILL): 12,
        ("group", Arm.PREVIOUS): 12,
        ("group", Arm.BASELINE): 12,
        ("isolated", Arm.WITH_SKILL): 12,
        ("isolated", Arm.BASELINE): 12,
    }
    assert len({row.digest for row in made.trials}) == 60
    assert staged_lineup(both.lineup, "isolated").support == () and staged_lineup(both.lineup, "group").support
    rates = {("group", Arm.WITH_SKILL): 1.0, ("isolated", Arm.WITH_SKILL): 0.5}
    trials, scores = [], []
    for row in made.trials:
        trial = a_trial(
            digest=row.digest, skill=row.skill, case=row.case, arm=row.arm, attempt=row.attempt, mode=row.mode
        )
        rate = rates.get((row.mode, row.arm), 0.0)
        trials.append(trial)
        scores.append(a_score(trial, value=float(row.attempt <= round(3 * rate))))
    analysis = analysis_of(made, settings(workspace={"mode": "both"}, attempts={"looks": [3]}))
    found = summarise(trials, scores, analysis)
    assert found.mode == "group" and found.word is Word.IMPROVED and found.planned == 36
    assert found.routing_premium is not None
    assert found.routing_premium.point == pytest.approx(1 / 3)
    assert found.routing_premium.low < 1 / 3 < found.routing_premium.high
    assert stop_reason(trials, scores, analysis) == "decided: improved"
    lost = [replace(t, arm=Arm.PREVIOUS) if t.mode == "isolated" and t.arm is Arm.BASELINE else t for t in trials]
    assert stop_reason(lost, scores, analysis) == "decided: improved", "the other workspace has no say"


def test_a_shard_divides_alpha_as_the_report_of_all_shards_will() -> None:
    """Else the engine would stop for a look that the report, with every skill in it, does not call decided."""
    chosen = settings(attempts={"looks": [3, 5]})
    design = design_of(chosen)
    alone = make_live_plan([subject(5)], [WHO], design, attainable=attainable)
    shared = make_live_plan([subject(5)], [WHO], replace(design, elsewhere=3), attainable=attainable)
    assert (alone.family, shared.family) == (1, 4)
    assert analysis_of(shared, chosen).alphas[0] == pytest.approx(0.025 / 4)
    assert [row.digest for row in shared.trials] == [row.digest for row in alone.trials], "the same trials"
    with pytest.raises(UsageError, match="never reach a verdict"):
        make_live_plan([subject(2)], [WHO], replace(design, looks=(3,), elsewhere=20), attainable=attainable)
