"""The real RAGAS in real runs against a model server of ours: no key in reach, one method for every arm."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci import compose
from aces_ci.cli.grade import COMMAND as GRADE
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trace import file as trace_file
from aces_ci.goal_method import environment, goal_room
from aces_ci.ports.sandbox import Program
from aces_ci.sandboxes._docker.engine import Engine
from aces_ci.sandboxes.docker import SANDBOX
from aces_ci.settings.model import Settings
from aces_ci.tiers.grade import subject_of
from aces_ci.tiers.purse import Purse
from aces_ci.workers.ragas.client import WORKER
from tests.e2e import live_rig as rig
from tests.fakes.goal_model import GoalModel
from tests.traces import snippets
from tests.unit import test_live_command as terminal

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
CANARY = "sk-canary-judge-51d0"
PORT = 9001
_START = f"""
import subprocess, sys
model = subprocess.Popen([sys.executable, "-m", "tests.fakes.goal_model", "{PORT}"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL)
from aces_ci.gateway.program import run
run(sys.stdin.buffer, sys.stdout.buffer)
"""
model = terminal.model
repo = terminal.repo


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """As `aces-ci live --pull-only` builds it on a machine without Docker."""
    WORKER.build(Path.home() / ".cache" / "aces-ci" / "ragas")


@pytest.fixture
def judge() -> Iterator[GoalModel]:
    with GoalModel().running() as server:
        yield server


def options(judge: GoalModel) -> list[str]:
    values = (
        "judge.provider=compatible", "judge.model=fake-5.4", f"judge.base_url={judge.url}", "budget.usd=null",
        "live.sandbox.backend=process", "live.goal_accuracy=ragas",
    )  # fmt: skip
    return [word for value in values for word in ("--set", value)]


def grades(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The last grade of goal accuracy by trial, and each trial's arm."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    goals = {row["trial"]: row for row in rows if row["kind"] == "score" and row["metric"] == "goal_accuracy"}
    return goals, {row["digest"]: row["arm"] for row in rows if row["kind"] == "trial"}


def with_references(repo: Path) -> None:
    path = repo / "skills/tide-tally/evals/evals.json"
    document = json.loads(path.read_text())
    for case in document["evals"]:
        case["expected_output"] = rig.ANSWER
    path.write_text(json.dumps(document))


def test_a_run_at_a_terminal_is_graded_by_ragas_in_every_arm(
    repo: Path, model: str, judge: GoalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with_references(repo)
    result = terminal.run(repo, "--yes", "--attempts", "3", "--provider-url", model, *options(judge))
    assert result.exception is None, (result.output, result.exception)
    goals, arms = grades(repo / "out/evidence.jsonl")
    assert len(goals) == 12
    assert {row["method"] for row in goals.values()} == {"fake-5.4/p2/ragas-0.4.3"}
    assert {row["fallback"] for row in goals.values()} == {""}
    by_arm = {arm: {goals[trial]["value"] for trial in goals if arms[trial] == arm} for arm in set(arms.values())}
    assert by_arm == {"with_skill": {1.0}, "baseline": {0.0}}
    assert CANARY not in (repo / "out/evidence.jsonl").read_text("utf-8")


def test_a_worker_that_breaks_in_the_middle_leaves_every_arm_to_two_steps(
    repo: Path, model: str, judge: GoalModel
) -> None:
    judge.good = 5
    with_references(repo)
    result = terminal.run(repo, "--yes", "--attempts", "3", "--provider-url", model, *options(judge))
    assert result.exception is None, (result.output, result.exception)
    goals, arms = grades(repo / "out/evidence.jsonl")
    assert len(goals) == 12
    assert {row["method"].rpartition("/")[2] for row in goals.values()} == {"two_step"}
    assert all("RAGAS" in row["fallback"] for row in goals.values())
    by_arm = {arm: {goals[trial]["value"] for trial in goals if arms[trial] == arm} for arm in set(arms.values())}
    assert by_arm == {"with_skill": {1.0}, "baseline": {0.0}}


def test_one_trace_is_graded_by_ragas(judge: GoalModel, tmp_path: Path) -> None:
    trace, case = tmp_path / "t.json", tmp_path / "c.json"
    trace.write_bytes(trace_file.write(snippets.trajectory("codex", [{"sh": "cat a", "out": "x"}, {"say": "TOTAL 7"}])))
    case.write_text(json.dumps({"id": "a", "prompt": "The total?", "reference": "TOTAL 7"}), encoding="utf-8")
    arguments = [str(trace), "--case", str(case), "--judge", "--format", "json", "--metric", "goal_accuracy"]
    arguments += ["--output", str(tmp_path / "out"), "-C", str(tmp_path), *options(judge)]
    result = CliRunner().invoke(GRADE, arguments, standalone_mode=False)
    assert result.exception is None, (result.output, result.exception)
    (score,) = json.loads(result.stdout)["scores"]
    assert (score["value"], score["method"]) == (1.0, "fake-5.4/p2/ragas-0.4.3")


@pytest.fixture(scope="module")
def image() -> str:
    engine = Engine()
    try:
        rig.gateway_image(engine)
    finally:
        engine.close()
    return environment(WORKER, SANDBOX, {"ACES_SANDBOX_BASE": rig.BASE}, build=True)[0]


SPY = """
import json, os, socket, sys
asked = json.load(sys.stdin)
def reaches(host, port):
    try:
        socket.create_connection((host, port), timeout=2).close()
        return True
    except OSError:
        return False
gateway = asked["base_url"].split("//")[1].split("/")[0].split(":")
said = {"out": reaches("1.1.1.1", 443), "gateway": reaches(gateway[0], int(gateway[1])), "env": dict(os.environ)}
print(json.dumps({"error": json.dumps(said)}))
"""


def test_in_a_container_the_worker_reaches_the_gateway_and_nothing_else(image: str) -> None:

    settings = Settings.model_validate(
        {
            "judge": {"provider": "openai", "model": "fake-5.4"},
            "live": {"goal_accuracy": "ragas"},
            "budget": {"usd": None},
        }
    )
    env = {"OPENAI_API_KEY": CANARY, "ACES_SANDBOX_BASE": rig.BASE, "PATH": os.environ["PATH"]}
    program = Program(
        image=rig.GATEWAY, command=("python3", "-c", _START), environment={"PYTHONPATH": "/opt/app:/opt/packages"}
    )
    room = goal_room(settings, env, SANDBOX, program, compose.goal_worker(), compose.providers(), Purse(None))
    assert room is not None and room.image == image
    assert room.secrets == Secrets(keys={"judge": CANARY})
    local = Upstream(name="judge", base_url=f"http://127.0.0.1:{PORT}", protocols=(Protocol.CHAT,), insecure=True)
    room = replace(room, upstream=local)
    case = snippets.case(expected_skill="pdf", trigger=True, reference="TOTAL 7")
    subjects = [
        subject_of(
            snippets.trial(arm, digest=arm[0] * 64),
            snippets.trajectory("codex", [{"sh": "cat a", "out": "x"}, {"say": said}]),
            case, None, snippets.cast(),
        )
        for arm, said in (("with_skill", "TOTAL 7"), ("baseline", "I cannot."))
    ]  # fmt: skip
    found = room.settle(subjects)
    assert found.fallback == ""
    verdicts = {digest[0]: next(iter(items.values())) for digest, items in found.known.items()}
    assert {name: each.word and each.word.value for name, each in verdicts.items()} == {"w": "yes", "b": "no"}
    assert {each.way for each in verdicts.values()} == {"ragas-0.4.3"}

    class Spy(type(WORKER)):  # type: ignore[misc]
        def program(self) -> Any:
            return replace(super().program(), data=SPY.encode())

    spied = replace(room, worker=Spy()).settle(subjects)
    told = json.loads(spied.fallback.split("worker: ", 1)[1])
    assert (told["out"], told["gateway"]) == (False, True)
    assert CANARY not in repr(told["env"])
    assert not any("KEY" in name or "TOKEN" in name for name in told["env"])
