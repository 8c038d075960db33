"""Real agent CLIs in real containers through the real gateway; only the model is scripted, and blind to the arm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aces_ci.core.spending.price import cost
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.staging import Lineup
from aces_ci.core.trace.file import inspect
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.tiers import live
from aces_ci.tiers import trial as trial_module
from tests.e2e import live_rig as rig

pytestmark = pytest.mark.e2e

CLIS = ("claude-code", "codex", "opencode", "builtin")
BUNDLED = (
    "customize-opencode",
    "skill-creator",
    "openai-docs",
    "plugin-authoring",
    "keybindings-help",
    "update-config",
)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return rig.images(CLIS, tmp_path_factory.mktemp("fetch"))


@pytest.fixture(scope="module")
def ran(images: dict[str, str]) -> rig.MemorySink:
    """Every CLI in both arms, once, beside a neighbour that is the same in both."""
    sink = rig.MemorySink()
    lineup = Lineup(target=(rig.tide_skill(),), support=(rig.neighbour(),))
    plan = rig.plan([rig.contender(name, images[name]) for name in CLIS], subjects=[rig.subject(lineup)])
    ended = live.run(plan, rig.means(), sink, run_id="e2e-agents")
    assert ended.stopped == ""
    return sink


def pair(ran: rig.MemorySink, name: str) -> tuple[Trial, Trial]:
    return next(found for found in rig.by_arm(ran.trials) if found[0].harness == name)


def answer(ran: rig.MemorySink, trial: Trial) -> str:
    document = inspect(ran.files[trial.trajectory or ""]).trajectory
    assert document is not None and document.answer is not None
    return document.answer[1]


@pytest.mark.parametrize("name", CLIS)
def test_with_the_skill_the_agent_reads_and_uses_it_and_without_it_cannot(ran: rig.MemorySink, name: str) -> None:
    read_and_used(ran, name)


def read_and_used(ran: rig.MemorySink, name: str) -> None:
    """What the test above asks; it must fail where nothing is staged."""
    with_skill, baseline = pair(ran, name)
    for trial in (with_skill, baseline):
        assert (trial.ending, trial.because, trial.flags) == (Ending.FINISHED, "", ()), trial
    assert answer(ran, with_skill) == rig.ANSWER
    assert "cannot" in answer(ran, baseline)
    shown = json.dumps([item.request for item in ran.exchanges(with_skill)])
    assert "python3 scripts/tally.py" in shown and rig.ANSWER in shown
    hidden = json.dumps([item.request for item in ran.exchanges(baseline)])
    assert "tally.py" not in hidden and "TIDE-TALLY" not in hidden and "tide-tally" not in hidden


@pytest.mark.parametrize("name", CLIS)
def test_the_arms_differ_in_the_skill_alone(ran: rig.MemorySink, name: str) -> None:
    with_skill, baseline = pair(ran, name)
    assert with_skill.tools == baseline.tools is not None
    assert with_skill.drops == baseline.drops
    for trial in (with_skill, baseline):
        first = json.dumps(ran.exchanges(trial)[0].request)
        assert "gull-count" in first
        assert [skill for skill in BUNDLED if skill in first] == []
        assert not any("web_search" in tool.lower() for tool in ran.exchanges(trial)[0].tools)
        assert ran.below(trial, "workspace") == {"ledger.csv": rig.LEDGER.encode()}


@pytest.mark.parametrize("name", CLIS)
def test_the_trajectory_is_valid_and_from_the_gateway(ran: rig.MemorySink, name: str) -> None:
    for trial in pair(ran, name):
        reading = inspect(ran.files[trial.trajectory or ""])
        assert reading.valid, reading.faults
        assert reading.trajectory is not None and reading.trajectory.aces["origin"] == "gateway"


@pytest.mark.parametrize("name", CLIS)
def test_cost_adds_up_to_the_last_millionth(ran: rig.MemorySink, name: str) -> None:
    for trial in pair(ran, name):
        price = price_of(trial.model)
        assert price is not None
        exchanges = ran.exchanges(trial)
        assert trial.usage.usd_micros == sum(cost(price, item.usage) for item in exchanges if item.usage)
        assert trial.usage.usd_micros == sum(item.charged_micros or 0 for item in exchanges)
        assert trial.usage.requests == len(exchanges) > 1


def test_answers_and_evals_reach_no_agent_and_no_model(ran: rig.MemorySink) -> None:
    for trial in ran.trials:
        if trial.arm is Arm.BASELINE:
            assert rig.ANSWER.encode() not in ran.files[f"trials/{trial.digest}/exchanges.jsonl"]
        assert b"evals.json" not in ran.files[f"trials/{trial.digest}/exchanges.jsonl"]
        assert not [name for name in ran.files if "evals" in name]


def test_without_the_staging_step_the_skill_is_not_used(
    images: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting the staging step turns the test above red, and the arm check says why."""
    monkeypatch.setattr(trial_module, "skill_files", lambda skills: ())
    sink = rig.MemorySink()
    plan = rig.plan([rig.contender("builtin", images["builtin"])])
    live.run(plan, rig.means(), sink, run_id="e2e-unstaged")
    with pytest.raises(AssertionError):
        read_and_used(sink, "builtin")
    with_skill, _ = pair(sink, "builtin")
    assert "cannot" in answer(sink, with_skill)
    assert [flag.value for flag in with_skill.flags] == ["contaminated"]


def test_the_recipes_hold_the_versions_that_the_harnesses_name(images: dict[str, str]) -> None:
    for name, harness in rig.harnesses().items():
        if name in images and name != "builtin":
            text = (Path(rig.ROOT) / f"aces_ci/sandboxes/images/{name}/package.json").read_text()
            assert harness.version in text
