"""Skill-Use over many trials: conditional forms and sham triggers, from scores to the comment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aces_ci.core.change import How
from aces_ci.core.evidence import RunEnded
from aces_ci.core.grading.skill_use_summary import summary
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers.comment import RENDERER
from aces_ci.settings.model import Settings
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run
from tests.metrics.test_goal_in_a_run import ROOT, Run, answering


def scores(trial: str, trigger: float | None, compliance: float | None, boundary: float | None) -> list[Score]:
    values = {"skill_use_trigger": trigger, "skill_use_compliance": compliance, "skill_use_boundary": boundary}
    if trigger is not None and compliance is not None and boundary is not None:
        values["skill_use"] = trigger * (0.7 * compliance + 0.3 * boundary)
    return [Score(trial=trial, metric=name, value=value, because="") for name, value in values.items()]


def test_the_papers_forms_plain_and_given_the_trigger() -> None:
    found = summary(
        [
            *scores("a", 1.0, 1.0, 1.0),
            *scores("b", 1.0, 0.2, 1.0),
            *scores("c", 0.0, 0.6, 0.5),
            *scores("d", 1.0, None, 0.5),
            Score(trial="e", metric="security", value=1.0, because=""),
        ]
    )
    assert found is not None and found.trials == 4
    assert found.trigger == 0.75
    assert found.compliance == pytest.approx(0.6)
    assert found.compliance_given_trigger == pytest.approx(0.6)
    assert (found.boundary, found.boundary_given_trigger) == (0.75, pytest.approx(2.5 / 3))
    assert found.sham_rate == 0.5, "one of two triggered runs that were scored has compliance under .3"
    assert found.su == pytest.approx((1.0 + 0.44 + 0.0) / 3)


def test_three_tenths_are_no_sham_and_an_untriggered_run_is_none() -> None:
    found = summary([*scores("a", 1.0, 0.3, 1.0), *scores("b", 0.0, 0.0, 1.0)])
    assert found is not None and found.sham_rate == 0.0


def test_without_skill_use_there_is_no_summary_and_no_zero() -> None:
    assert summary([Score(trial="a", metric="security", value=1.0, because="")]) is None
    found = summary(scores("a", 0.0, None, None))
    assert found is not None and found.su is None and found.sham_rate is None


def test_the_comment_tells_it_of_this_changes_runs_alone(tmp_path: Path) -> None:
    run = Run(tmp_path, answering(), looks=(3,))
    run.look(1)
    rows = [row for row in run.sink.lines if isinstance(row, Score) and not row.metric.startswith("skill_use")]
    mine = [digest for digest, trial in run.trials.items() if trial.arm is Arm.WITH_SKILL]
    for digest in run.trials:
        rows += scores(digest, 1.0, 0.2 if digest == mine[0] else 1.0, 1.0) if digest in mine else []
    header = a_run(settings=Settings().model_dump(mode="json"))
    report = assemble([header, a_changed_skill(ROOT, how=How.ADDED), *run.trials.values(), *rows, RunEnded()])
    live = report.skills[0].live
    assert live is not None and live.skill_use is not None and live.skill_use.trials == 3
    told = RENDERER.render(report, Place(links=PageLinks(server_url="https://github.com"), forge="github"))
    plain = re.sub(r"\u00a0\[\d+,\u00a0\d+\]", " [i]", told)
    assert (
        "Skill-Use 81 [i] in 3 runs of this change: trigger 100 [i], compliance 73 [i], boundary 100 [i], "
        "compliance given the trigger 73 [i], boundary given the trigger 100 [i], sham triggers 33 [i]." in plain
    )
