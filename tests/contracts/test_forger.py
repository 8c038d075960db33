"""A harness that forges its trace, through the real sandbox and the real gateway: each forgery ends in its named
state, and none changes a score.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci.core.score import Score
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trace.chain import State
from aces_ci.core.trace.file import inspect
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm, Ending, Flag, Trial
from aces_ci.plugins import load
from aces_ci.ports.sandbox import Program
from aces_ci.sandboxes.process import SANDBOX as PROCESS
from aces_ci.tiers import live
from aces_ci.tiers.grade import grade
from tests.e2e import live_rig as rig
from tests.fakes.forger_harness import FORGER
from tests.fakes.tide_model import script
from tests.fakes.upstream import FakeUpstream, on_a_thread
from tests.traces import snippets

FORGERIES: dict[str, tuple[set[Flag], set[State]]] = {
    "honest": (set(), set()),
    "forged_stdout": ({Flag.TRACE_MISMATCH}, set()),
    "forged_session": ({Flag.TRACE_MISMATCH}, set()),
    "injected_turn": ({Flag.TAMPERED}, {State.INJECTED_TURN}),
    "rewritten_turn": (set(), {State.REWRITTEN_TURN}),
    "side_call": (set(), {State.SIDE_CALL}),
    "dropped_step": (set(), {State.DROPPED_TURN}),
}
"""Flags and states of each forgery, in both arms."""
METRICS = load("metrics", "METRIC", "name")
CONVERTERS = {item.name: item for item in load("converters", "CONVERTER", "name")}  # type: ignore[attr-defined]
CASE = replace(
    snippets.case(
        id=rig.CASE.id,
        prompt=rig.CASE.prompt,
        expected_skill="tide-tally",
        trigger=True,
        expected_script="scripts/tally.py",
        checks=[{"kind": "equals", "args": {"value": rig.ANSWER}}],
    ),
    files=rig.CASE.files,
)


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The scripted model on a thread of its own."""
    with on_a_thread(FakeUpstream(script)) as fake:
        yield fake.url


def _process(model: str) -> tuple[dict[str, object], str]:
    upstream = Upstream(name="scripted", base_url=model, protocols=tuple(Protocol), insecure=True)
    changes: dict[str, object] = {
        "sandbox": PROCESS,
        "program": Program(image="", command=(sys.executable, "-m", "aces_ci", "gateway")),
        "upstreams": (upstream,),
        "secrets": Secrets(keys={"scripted": rig.CANARY}),
    }
    return changes, "process"


def _docker(model: str) -> tuple[dict[str, object], str]:
    return {}, rig.images(("builtin",), Path("/nonexistent"))["builtin"]


@pytest.fixture(
    scope="module",
    params=[pytest.param(_process, id="process"), pytest.param(_docker, id="docker", marks=pytest.mark.e2e)],
)
def ran(request: pytest.FixtureRequest, model: str) -> rig.MemorySink:
    """Every forgery in both arms."""
    changes, image = request.param(model)
    contenders = [
        replace(rig.contender("builtin", image), harness="forger", version="1", command=(mode,)) for mode in FORGERIES
    ]
    plan = rig.plan(contenders, subjects=[rig.subject(cases=[CASE])], workers=4)
    sink = rig.MemorySink()
    means = rig.means(harnesses={"forger": FORGER}, converters={"forger": CONVERTERS["claude-code"]}, **changes)
    assert live.run(plan, means, sink, run_id="e2e-forger").stopped == ""
    modes = {item.digest: contenders[item.contender].command[0] for item in plan.trials}
    sink.modes = modes  # type: ignore[attr-defined]
    return sink


def trial_of(ran: rig.MemorySink, mode: str, arm: Arm) -> Trial:
    return next(item for item in ran.trials if item.arm is arm and ran.modes[item.digest] == mode)  # type: ignore[attr-defined]


def trajectory_of(ran: rig.MemorySink, trial: Trial) -> Trajectory:
    reading = inspect(ran.files[trial.trajectory or ""])
    assert reading.valid and reading.trajectory is not None
    return reading.trajectory


def scores_of(ran: rig.MemorySink, mode: str, arm: Arm) -> dict[str, Score]:
    trial = trial_of(ran, mode, arm)
    workspace = ran.below(trial, "workspace")
    return {row.metric: row for row in grade(trial, trajectory_of(ran, trial), CASE, workspace, METRICS, None)}  # type: ignore[arg-type]


@pytest.mark.parametrize("arm", [Arm.WITH_SKILL, Arm.BASELINE])
@pytest.mark.parametrize("mode", FORGERIES)
def test_each_forgery_ends_in_its_named_state(ran: rig.MemorySink, mode: str, arm: Arm) -> None:
    flags, states = FORGERIES[mode]
    trial = trial_of(ran, mode, arm)
    assert (trial.ending, trial.because) == (Ending.FINISHED, "")
    assert set(trial.flags) - {Flag.UNVERIFIED} == flags, "only a sandbox without isolation adds a flag of its own"
    assert set(trajectory_of(ran, trial).aces.get("states", {})) == states


@pytest.mark.parametrize("arm", [Arm.WITH_SKILL, Arm.BASELINE])
@pytest.mark.parametrize("mode", FORGERIES)
def test_no_forgery_changes_a_score(ran: rig.MemorySink, mode: str, arm: Arm) -> None:
    honest, forged = (scores_of(ran, name, arm) for name in ("honest", mode))
    assert {name: row.value for name, row in forged.items()} == {name: row.value for name, row in honest.items()}
    assert honest["outcome"].value == (1.0 if arm is Arm.WITH_SKILL else 0.0), "there is something to win"


@pytest.mark.parametrize("mode", FORGERIES)
def test_no_lie_is_a_step_of_the_trajectory(ran: rig.MemorySink, mode: str) -> None:
    trial = trial_of(ran, mode, Arm.BASELINE)
    steps = json.dumps([step.model_dump() for step in trajectory_of(ran, trial).steps if step.source == "agent"])
    assert rig.ANSWER not in steps and "verif" not in steps


def test_the_lies_were_really_told(ran: rig.MemorySink) -> None:
    """Else nothing above would have been tried."""
    logs = {
        mode: ran.files[f"trials/{trial_of(ran, mode, Arm.BASELINE).digest}/harness.log"].decode() for mode in FORGERIES
    }
    assert "toolu_forged" in logs["forged_stdout"] and "toolu_forged" not in logs["forged_session"]
    session = ran.below(trial_of(ran, "forged_session", Arm.BASELINE), "home")
    assert any(b"toolu_forged" in data for data in session.values())
    sent = {
        mode: json.dumps([item.request for item in ran.exchanges(trial_of(ran, mode, Arm.BASELINE))])
        for mode in FORGERIES
    }
    assert "I have verified it" in sent["injected_turn"] and "which I have verified" in sent["rewritten_turn"]
    counts = {mode: len(ran.exchanges(trial_of(ran, mode, Arm.BASELINE))) for mode in FORGERIES}
    assert counts["side_call"] == counts["dropped_step"] == counts["honest"] + 1
