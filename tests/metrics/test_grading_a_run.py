"""The grading of a run's trials: whose grader counts, what a crash is, and what of the judge reaches the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from aces_ci import compose
from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.changes.parse import parse_skill
from aces_ci.core.approval import Consent
from aces_ci.core.asking.question import Question
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import RunEnded
from aces_ci.core.grading.grader import Grader
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, make_live_plan
from aces_ci.core.score import Score
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Arm, Trial
from aces_ci.forges._links import PageLinks
from aces_ci.grading import Grades, grader_for, mode_of
from aces_ci.live_tier import subjects_of
from aces_ci.pipeline import Job
from aces_ci.ports.renderer import Place
from aces_ci.renderers.comment import RENDERER
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.grader_room import GraderRoom
from aces_ci.trialling import gradeable
from tests.builders import a_changed_skill, a_run, an_event
from tests.e2e.live_rig import MemorySink
from tests.fakes.sandbox import FakeSandbox, Loss, World
from tests.git_history import History
from tests.metrics.judges import Court, literal, verdict
from tests.traces import snippets

ROOT = "skills/pdf"
MANIFEST = "---\nname: pdf\ndescription: Fills forms. Use when a form is to be filled.\n---\n\nFill the form.\n"
MODES = ("default_plus_custom", "custom_only")


def skill(mode: str | None = "default_plus_custom", **files: str) -> Skill:
    texts = {"SKILL.md": MANIFEST, "evals/grader.py": "print(1)\n", **files}
    if mode is not None:
        texts["evals/config.yml"] = f"schema_version: 1\ngrading:\n  mode: {mode}\n"
    loaded = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
    }
    return parse_skill(root=ROOT, files=loaded)


def plan_of(target: Skill, *, judged: bool = False) -> TrialPlan:
    checks = [] if judged else [{"kind": "contains", "args": {"value": "TOTAL"}}]
    case = snippets.case(reference="TOTAL 7", checks=checks)
    grader = grader_for(target, mode_of(target))
    subject = Subject(skill=ROOT, lineup=Lineup(target=(target,)), cases=(case,), grader=grader)
    contender = Contender(harness="claude-code", version="1", model="m", api=Protocol.MESSAGES, upstream="u")
    design = Design(arms=(Arm.WITH_SKILL, Arm.BASELINE), looks=(3,))
    return make_live_plan([subject], [contender], design, attainable=lambda *_: True)


class Run:
    """Trials that have ended, their grading, and what it left."""

    def __init__(self, tmp_path: Path, target: Skill, program: Callable[[World], int], ask: Any = None) -> None:
        self.plan = plan_of(target, judged=ask is not None)
        self.sandbox, self.sink, self.folder = FakeSandbox(program), MemorySink(), Folder(tmp_path, Path("out"))
        self.room = GraderRoom.of(self.plan, cast(Any, self.sandbox), {})
        self.grades = Grades(
            self.plan, LivePlan(looks=(3,)), compose.metrics(), ask, self.folder, cast(Any, self.sink), self.room
        )
        self.trials = [self._trial(planned) for planned in self.plan.trials]
        self.grades.trials = {trial.digest: trial for trial in self.trials}

    def _trial(self, planned: Any) -> Trial:
        path = f"trials/{planned.digest}/trajectory.json"
        rows = [{"say": "TOTAL 7"}] if planned.arm is Arm.WITH_SKILL else [{"say": "I cannot."}]
        self.folder.write(path, trace_file.write(snippets.trajectory("claude-code", rows)), mode=0o600)
        return snippets.trial(
            planned.arm.value, digest=planned.digest, case=planned.case, attempt=planned.attempt, trajectory=path,
            mode=planned.mode,
        )  # fmt: skip

    def scores(self) -> dict[str, dict[str, Score]]:
        """By trial and metric, as they were written down."""
        self.grades.decided(1)
        found: dict[str, dict[str, Score]] = {}
        for row in self.sink.lines:
            if isinstance(row, Score):
                assert row.metric not in found.setdefault(row.trial, {}), "scored twice"
                found[row.trial][row.metric] = row
        return found


def says(document: Mapping[str, object], code: int = 0) -> Callable[[World], int]:
    def program(world: World) -> int:
        world.home["logs/verifier/reward.json"] = json.dumps(document).encode()
        return code

    return program


def test_each_trial_is_graded_once_in_a_sandbox_without_a_model_and_its_scores_become_evidence(tmp_path: Path) -> None:
    seen: list[World] = []

    def program(world: World) -> int:
        seen.append(world)
        return says({"overall": 0.25, "custom_metrics": {"layout": 0.5}})(world)

    run = Run(tmp_path, skill(), program)
    found = run.scores()
    assert len(found) == len(seen) == 6
    assert all(rows["custom.overall"].value == 0.25 and rows["custom.layout"].value == 0.5 for rows in found.values())
    assert {found[trial.digest]["outcome"].value for trial in run.trials if trial.arm is Arm.WITH_SKILL} == {1.0}
    assert {world.token for world in seen} == {""} and not any(item.gateway.received for item in run.sandbox.sessions)
    assert {json.loads(world.home["tests/entry.json"])["has_skill"] for world in seen} == {True, False}
    run.grades.decided(1)
    assert len(seen) == 6, "a look that is asked again grades nothing again"


def test_once_it_is_stopped_no_further_run_is_graded_and_the_next_start_grades_the_rest(tmp_path: Path) -> None:
    run = Run(tmp_path, skill(), says({"overall": 0.25}))
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert run.grades.decided(1, stopped) is None
    assert len(run.grades.scores) == 2
    found = run.scores()
    assert len(found) == 6 and len(run.grades.scores) == 6


def test_before_a_look_the_arm_with_the_skill_is_told_where_nobody_is_asked_and_nothing_is_written_down(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path, skill(), says({}))
    run.grades._room = None
    told = {key: value for item in run.plan.trials for key, value in run.grades.foretold(item).items()}
    own = {trial.digest for trial in run.trials if trial.arm is Arm.WITH_SKILL}
    assert told == dict.fromkeys(own, 1.0)
    assert run.sink.lines == [] and run.grades.scores == {}
    found = run.scores()
    assert told == {digest: found[digest]["outcome"].value for digest in own}, "as the look finds it"

    def ask(questions: Any) -> Any:
        raise AssertionError("money of the agents")

    judged = Run(tmp_path, skill(), says({}), ask)
    judged.grades._room = None
    assert all(judged.grades.foretold(item) == {} for item in judged.plan.trials)


@pytest.mark.parametrize("mode", MODES)
def test_a_crash_is_an_error_in_every_trial_and_never_zero(tmp_path: Path, mode: str) -> None:
    name = "outcome" if mode == "custom_only" else "custom.overall"
    for rows in Run(tmp_path, skill(mode), says({"overall": 0.0}, code=3)).scores().values():
        assert rows[name].value is None and "exit code 3" in rows[name].because


def test_a_sandbox_that_cannot_be_opened_is_an_error_of_the_grade(tmp_path: Path) -> None:
    def lost(world: World) -> int:
        raise Loss("the daemon went away")

    rows = next(iter(Run(tmp_path, skill(), lost).scores().values()))
    assert rows["custom.overall"].value is None and "daemon" in rows["custom.overall"].because
    run = Run(tmp_path, skill(), says({"overall": 1.0}))

    def refuse(session: object) -> None:
        raise UsageError("the Docker daemon does not answer", code="no_docker")

    run.sandbox.prepare = refuse
    rows = next(iter(run.scores().values()))
    assert rows["custom.overall"].value is None and "does not answer" in rows["custom.overall"].because


def test_custom_only_decides_alone_and_asks_no_judge(tmp_path: Path) -> None:
    court = Court(literal)
    run = Run(tmp_path, skill("custom_only"), says({"overall": 0.75}), court)
    gradeable(run.plan, judged=False)
    assert all({name: row.value for name, row in rows.items()} == {"outcome_checks": 0.75, "outcome": 0.75}
               for rows in run.scores().values())  # fmt: skip
    assert court.asked == []


@pytest.mark.parametrize("mode", [None, "default"])
def test_by_default_a_grader_that_lies_there_is_not_run(tmp_path: Path, mode: str | None) -> None:
    run = Run(tmp_path, skill(mode), says({"overall": 0.0}))
    assert run.room is None and run.sandbox.sessions == []
    assert not any(name.startswith("custom.") for rows in run.scores().values() for name in rows)


def test_a_policy_without_its_grader_is_refused_before_anything_is_spent() -> None:
    bare = skill()
    with pytest.raises(UsageError, match="has no grader"):
        without = replace(bare, files={path: file for path, file in bare.files.items() if "grader" not in path})
        grader_for(without, mode_of(without))


def test_a_grader_brings_its_own_files_and_never_the_entry() -> None:
    target = skill(**{"evals/tests/words.txt": "a", "evals/tests/entry.json": "{}", "evals/evals.json": "{}"})
    found = grader_for(target, mode_of(target))
    assert found is not None and [file.path for file in found.files] == ["grader.py", "words.txt"]
    another = skill(**{"evals/tests/words.txt": "b"})
    other = grader_for(another, mode_of(another))
    assert other is not None and other.digest != found.digest


def test_scores_of_another_grader_are_not_resumed_from(tmp_path: Path) -> None:
    first = Run(tmp_path, skill(), says({"overall": 1.0}))
    first.scores()
    kept = first.grades.all_scores
    same = Run(tmp_path, skill(), says({"overall": 1.0}))
    same.grades.known(same.trials, kept)
    for changed in (skill(**{"evals/grader.py": "print(2)\n"}), skill("custom_only"), skill(None)):
        run = Run(tmp_path, changed, says({"overall": 1.0}))
        with pytest.raises(UsageError, match="grader of skills/pdf changed"):
            run.grades.known(run.trials, kept)


def test_what_the_judges_votes_agree_on_reaches_the_report(tmp_path: Path) -> None:
    def wavering(data: dict[str, Any], question: Question) -> Mapping[str, Any]:
        other = _vote(question) == ("facts_agree", 2)
        return verdict("cannot_tell") if other else literal(data, question)

    run = Run(tmp_path, skill(None), says({}), Court(wavering))
    scored = run.scores()
    pairs = [
        row.agreement
        for rows in scored.values()
        for name in ("accuracy_outcome", "goal_accuracy", "behavior_check")
        if (row := rows.get(name)) is not None and row.agreement is not None
    ]
    counted = sum(agreed for agreed, _ in pairs), sum(items for _, items in pairs)
    assert counted == (24, 30), "four of five items agree in each of six trials; the goal's comparison is one"
    header = a_run(settings=Settings().model_dump(mode="json"))
    report = assemble([header, a_changed_skill(ROOT), *run.trials, *run.grades.all_scores, RunEnded()])
    live = report.skills[0].live
    assert live is not None and live.agreement == counted
    assert live.flip_rate is not None and live.flip_rate > 0
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    told = RENDERER.render(report, place)
    assert "two votes agree on 80" in told


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[Callable[[Trust], list[tuple[str, bytes | None]]]]:
    """Side and grader of each subject of a change that rewrites the grader."""
    evals = json.dumps({"skill_name": "pdf", "evals": [{"id": "a", "prompt": "Fill it.", "expected_output": "x"}]})
    config = "schema_version: 1\ngrading:\n  mode: custom_only\n"
    base = {
        f"{ROOT}/SKILL.md": MANIFEST, f"{ROOT}/evals/evals.json": evals, f"{ROOT}/evals/config.yml": config,
        f"{ROOT}/evals/grader.py": "base\n",
    }  # fmt: skip
    history = History(tmp_path / "r.git")
    first = history.commit("main", base)
    head = {f"{ROOT}/evals/grader.py": "head\n", f"{ROOT}/evals/evals.json": evals.replace("Fill", "Fold")}
    last = history.commit("work", head, parent=first)
    with Zygote() as zygote, Reader(zygote) as reader, Repository.open(history.path, "test") as repository:

        def found(trust: Trust) -> list[tuple[str, bytes | None]]:
            job = cast(Job, SimpleNamespace(
                event=an_event(head_sha=last, base_sha=first, trust=trust), repository=repository,
                reader=reader, loaded=SimpleNamespace(settings=Settings()), consent=Consent(),
            ))  # fmt: skip
            rows = subjects_of(job, compare(repository, first, last, "main"))
            return [(row.side, _text(row.grader)) for row in rows]

        yield found


def _vote(question: Question) -> tuple[str, int]:
    return question.item.rsplit("/", 1)[-1].partition("@")[0], question.vote


def _text(grader: Grader | None) -> bytes | None:
    return grader.files[0].data if grader else None


def test_the_bases_grader_decides_and_a_forks_own_never_runs(sides: Callable[[Trust], list[Any]]) -> None:
    assert sides(Trust.OWN) == [("base", b"base\n"), ("head", b"head\n")]
    assert sides(Trust.FORK) == [("base", b"base\n"), ("head", None)]


@pytest.mark.parametrize(("shown", "value"), [(MANIFEST, 1.0), ("the file is unchanged", 0.0)])
def test_whether_a_skill_was_opened_is_told_by_the_words_that_the_run_staged(
    tmp_path: Path, shown: str, value: float
) -> None:
    run = Run(tmp_path, skill(None), says({}))
    trial = next(trial for trial in run.trials if trial.arm is Arm.WITH_SKILL)
    rows = [{"read": "/home/agent/.claude/skills/pdf/SKILL.md", "out": shown}, {"say": "TOTAL 7"}]
    run.folder.write(trial.trajectory or "", trace_file.write(snippets.trajectory("claude-code", rows)), mode=0o600)
    assert run.scores()[trial.digest]["skill_use_trigger"].value == value
