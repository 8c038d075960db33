"""Native Harbor tasks in a run: their own verifier gives the outcome, found in the deciding side's tree."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from aces_ci import compose
from aces_ci.changes.parse import parse_skill
from aces_ci.core.event import Trust
from aces_ci.core.grading.grader import Grader, verifier_of
from aces_ci.core.lift import OUTCOME_PARTS
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, make_live_plan
from aces_ci.core.score import Score
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.run_policy import Grading as Mode
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Arm
from aces_ci.grading import Grades, grader_for, mode_of, verifiers_for
from aces_ci.shell.files import Folder
from aces_ci.tiers.fairness import mixed
from aces_ci.tiers.grader_room import GraderRoom
from aces_ci.tiers.suite import read_suite
from aces_ci.trialling import gradeable
from tests.e2e.live_rig import MemorySink
from tests.fakes.sandbox import FakeSandbox, World
from tests.traces import snippets

ROOT = "skills/pdf"
MANIFEST = "---\nname: pdf\ndescription: Fills forms. Use when a form is to be filled.\n---\n\nFill the form.\n"
TASK = "evals/harbor/total"
NATIVE = {
    f"{TASK}/task.toml": "[metadata]\n[verifier]\n[agent]\n",
    f"{TASK}/instruction.md": "Say the total.",
    f"{TASK}/tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
    f"{TASK}/tests/expected.txt": "7\n",
}


def skill(mode: str | None = None, **files: str) -> Skill:
    texts = {"SKILL.md": MANIFEST, **NATIVE, **files}
    if mode is not None:
        texts["evals/config.yml"] = f"schema_version: 1\ngrading:\n  mode: {mode}\n"
    loaded = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
        if text
    }
    return parse_skill(root=ROOT, files=loaded)


def plan_of(target: Skill, looks: tuple[int, ...] = (3,), workers: int = 4) -> TrialPlan:
    cases = read_suite(target.files, compose.dialects(), skill_name="pdf").cases
    subject = Subject(
        skill=ROOT, lineup=Lineup(target=(target,)), cases=cases, grader=grader_for(target, mode_of(target)),
        verifiers=verifiers_for(target, cases, mode_of(target)),
    )  # fmt: skip
    contender = Contender(harness="claude-code", version="1", model="m", api=Protocol.MESSAGES, upstream="u")
    design = Design(arms=(Arm.WITH_SKILL, Arm.BASELINE), looks=looks, workers=workers)
    return make_live_plan([subject], [contender], design, attainable=lambda *_: True)


def graded(
    tmp_path: Path, target: Skill, program: Callable[[World], int], workers: int = 4
) -> tuple[dict[str, dict[str, Score]], FakeSandbox]:
    """Scores by trial and metric, as they were written down, and the sandbox that was used."""
    plan, sandbox, sink = plan_of(target, workers=workers), FakeSandbox(program), MemorySink()
    folder = Folder(tmp_path, Path("out"))
    gradeable(plan, judged=False)
    room = GraderRoom.of(plan, cast(Any, sandbox), {})
    grades = Grades(plan, LivePlan(looks=(3,)), compose.metrics(), None, folder, cast(Any, sink), room)
    for planned in plan.trials:
        path = f"trials/{planned.digest}/trajectory.json"
        folder.write(path, trace_file.write(snippets.trajectory("claude-code", [{"say": "7"}])), mode=0o600)
        folder.write(f"trials/{planned.digest}/workspace/mine.txt", planned.digest.encode(), mode=0o600)
        grades.trials[planned.digest] = snippets.trial(
            planned.arm.value, digest=planned.digest, case=planned.case, attempt=planned.attempt, trajectory=path,
            mode=planned.mode,
        )  # fmt: skip
    grades.decided(1)
    found: dict[str, dict[str, Score]] = {}
    for row in sink.lines:
        if isinstance(row, Score):
            assert row.metric not in found.setdefault(row.trial, {}), "scored twice"
            found[row.trial][row.metric] = row
    assert set(found) == {planned.digest for planned in plan.trials}
    return found, sandbox


def rewards(text: str, code: int = 0) -> Callable[[World], int]:
    def program(world: World) -> int:
        world.home["logs/verifier/reward.txt"] = text.encode()
        return code

    return program


@pytest.mark.parametrize("mode", [None, "default", "default_plus_custom", "custom_only"])
def test_a_native_tasks_verifier_is_its_outcome_in_every_mode(tmp_path: Path, mode: str | None) -> None:
    files = {} if mode in {None, "default"} else {"evals/grader.py": "print(1)\n"}
    found, _ = graded(tmp_path, skill(mode, **files), rewards("0.25"))
    for rows in found.values():
        assert rows["outcome"].value == rows["outcome_checks"].value == 0.25
        assert rows["outcome"].method.startswith("grader ")
        assert ("security" in rows) is (mode != "custom_only"), "what the trace says is scored beside it"


def test_the_verifier_finds_its_files_by_harbors_paths(tmp_path: Path) -> None:
    seen: list[World] = []

    def program(world: World) -> int:
        seen.append(world)
        return rewards("1")(world)

    graded(tmp_path, skill(), program)
    world = seen[0]
    assert world.job.command == ("bash", "/home/agent/tests/test.sh")
    assert world.home["tests/expected.txt"] == b"7\n"
    assert json.loads(world.home["tests/entry.json"])["question"] == "Say the total."
    assert json.loads(world.home["logs/agent/trajectory.json"])["steps"]
    assert world.token == "" and not world.gateway.received, "nothing is in reach"


@pytest.mark.parametrize(
    ("code", "text", "value"), [(0, "0", 0.0), (1, "0", 0.0), (1, "1", 1.0), (2, "0", None), (137, "1", None)]
)
def test_tests_that_failed_are_a_zero_and_a_crash_is_none(
    tmp_path: Path, code: int, text: str, value: float | None
) -> None:
    found, _ = graded(tmp_path, skill(), rewards(text, code))
    assert {rows["outcome"].value for rows in found.values()} == {value}


def test_a_python_verifier_that_ends_with_one_has_crashed(tmp_path: Path) -> None:
    target = skill(**{f"{TASK}/tests/grader.py": "raise SystemExit(1)\n"})
    found, _ = graded(tmp_path, target, rewards("0", 1))
    assert {rows["outcome"].value for rows in found.values()} == {None}


def test_named_rewards_stand_beside_the_whole(tmp_path: Path) -> None:
    def program(world: World) -> int:
        world.home["logs/verifier/reward.json"] = b'{"reward": 0.5, "style": 1}'
        return 0

    found, _ = graded(tmp_path, skill(), program)
    rows = next(iter(found.values()))
    assert rows["outcome"].value == 0.5 and rows["custom.style"].value == 1.0


def test_cases_of_a_dataset_keep_the_skills_own_grader() -> None:
    dataset = json.dumps({"skill_name": "pdf", "evals": [{"id": "a", "prompt": "x", "expected_output": "7"}]})
    target = skill("default_plus_custom", **{"evals/evals.json": dataset, "evals/grader.py": "print(1)\n"})
    subject = plan_of(target).subjects[0]
    own, native = subject.grader_of("a"), subject.grader_of("total")
    assert own is not None and own.entry == "grader.py" and not own.native
    assert native is not None and native.entry == "test.sh" and native.native


def test_a_fork_brings_no_verifier() -> None:
    target = skill()
    cases = read_suite(target.files, compose.dialects(), skill_name="pdf").cases
    assert verifiers_for(target, cases, mode_of(target), trust=Trust.FORK) == {}
    assert set(verifiers_for(target, cases, mode_of(target))) == {"total"}


def test_a_task_without_a_verifier_has_none_and_another_text_is_another_method() -> None:
    target = skill(**{f"{TASK}/tests/test.sh": "", f"{TASK}/tests/grader.sh": "true\n"})
    case = read_suite(target.files, compose.dialects(), skill_name="pdf").cases[0]
    found = verifier_of(target, case, Mode.DEFAULT)
    assert found is not None and found.entry == "grader.sh"
    bare = skill(**{f"{TASK}/tests/test.sh": ""})
    assert verifier_of(bare, case, Mode.DEFAULT) is None
    other = verifier_of(skill(**{f"{TASK}/tests/expected.txt": "8\n"}), case, Mode.DEFAULT)
    assert other is not None and other.digest != _verifier(skill(), case).digest


def _verifier(target: Skill, case: Any) -> Grader:
    found = verifier_of(target, case, Mode.DEFAULT)
    assert found is not None
    return found


def test_graders_run_side_by_side_in_one_session_each_with_its_own_files(tmp_path: Path) -> None:
    lock, now, most = threading.Lock(), [0], [0]
    seen: dict[str, str] = {}

    def program(world: World) -> int:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            seen[world.workspace["mine.txt"].decode()] = world.home["logs/verifier/.keep"].decode()
            world.workspace["mine.txt"] = b"spoilt"
        time.sleep(0.15)
        with lock:
            now[0] -= 1
        return rewards("1")(world)

    found, sandbox = graded(tmp_path, skill(), program, workers=3)
    assert len(sandbox.sessions) == 1, "one session for a look"
    assert most[0] == 3, "as many at once as there are slots, and no more"
    assert set(seen) == set(found), "each saw the workspace of its own trial"


def test_a_graders_image_is_built_on_the_skills_own_environment() -> None:
    built: list[Any] = []

    class Box(FakeSandbox):
        def image(self, request: Any) -> str:
            built.append(request)
            return super().image(request)

    dockerfile = "FROM python:3.11-slim-bookworm\nRUN true\n"
    target = skill(**{"evals/environment/Dockerfile": dockerfile})
    room = GraderRoom.of(plan_of(target), cast(Any, Box(rewards("1"))), {"ACES_SANDBOX_BASE": "base"})
    assert room is not None
    (request,) = built
    assert (request.recipe, request.base) == ("grader", "base")
    assert [file.path for file in request.environment] == ["Dockerfile"]


def test_verifiers_of_two_cases_are_two_methods_and_no_unfair_comparison() -> None:
    def score(trial: str, method: str, metric: str = "outcome_checks") -> Score:
        return Score(trial=trial, metric=metric, value=1.0, because="", method=method)

    trials = [
        snippets.trial(arm, digest=f"{case}{arm[0]}".ljust(64, "0"), case=case)
        for case in ("one", "two")
        for arm in ("with_skill", "baseline")
    ]
    by_case = [score(trial.digest, f"grader {trial.case}") for trial in trials]
    assert mixed(trials, by_case, OUTCOME_PARTS) == {}
    other = [*by_case[:-1], score(trials[-1].digest, "deterministic")]
    assert mixed(trials, other, OUTCOME_PARTS) == {"outcome_checks": ("deterministic", "grader two")}
    judges = [score(trial.digest, f"judge-{trial.case}/p1/votes", "accuracy") for trial in trials]
    assert set(mixed(trials, judges, ["accuracy"])) == {"accuracy"}, "two judges are two measures, whatever the case"
