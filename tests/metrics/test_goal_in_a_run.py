"""Goal accuracy by the worker in a run: one method for all arms, whatever fails, and the key stays away."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import RunEnded
from aces_ci.core.live import Unfair
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, make_live_plan
from aces_ci.core.score import Score
from aces_ci.core.spending.control import ArmSlot, Secrets
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Arm
from aces_ci.forges._links import PageLinks
from aces_ci.goal_method import goal_room
from aces_ci.grading import NOT_HERE, RESUMED, Grades
from aces_ci.ports.renderer import Place
from aces_ci.ports.sandbox import Program
from aces_ci.renderers.comment import RENDERER
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.purse import Purse
from tests.builders import a_changed_skill, a_run
from tests.e2e.live_rig import MemorySink
from tests.fakes.sandbox import FakeSandbox, Loss, World
from tests.metrics.judges import Court, literal
from tests.metrics.test_grading_a_run import ROOT, skill
from tests.traces import snippets

GATEWAY = Program(image="aces-ci", command=("gateway",))
KEY = {"OPENAI_API_KEY": "sk-canary"}


def settings(way: str = "ragas", provider: str = "openai") -> Settings:
    return Settings.model_validate(
        {"judge": {"provider": provider, "model": "gpt-5.4"}, "live": {"goal_accuracy": way}, "budget": {"usd": None}}
    )


def plan_of(looks: tuple[int, ...] = (2, 4)) -> TrialPlan:
    target = skill(None)
    case = snippets.case(reference="TOTAL 7")
    subject = Subject(skill=ROOT, lineup=Lineup(target=(target,)), cases=(case,))
    contender = Contender(harness="claude-code", version="1", model="m", api=Protocol.MESSAGES, upstream="u")
    design = Design(arms=(Arm.WITH_SKILL, Arm.BASELINE), looks=looks)
    return make_live_plan([subject], [contender], design, attainable=lambda *_: True)


TWO_ARMS = Settings.model_validate({"live": {"arms": ["with_skill", "baseline"]}}).model_dump(mode="json")
"""Settings of the run below: no earlier version was planned, so none is missing."""


def answering(*errors: int) -> Callable[[World], int]:
    """The worker's program: yes where the conversation ends in the goal; `errors` are rounds that fail."""
    rounds = [0]

    def program(world: World) -> int:
        rounds[0] += 1
        asked = json.loads(world.job.stdin)
        assert world.token and asked["token"] == world.token
        world.ask()
        said = [{"value": int(each["reference"] in each["messages"][-1]["text"])} for each in asked["conversations"]]
        if rounds[0] in errors:
            said[-1] = {"error": "the model answers in another form"}
        world.out += json.dumps({"version": "0.4.3", "verdicts": said}).encode()
        return 0

    return program


class Run:
    """Trials that have ended, graded look by look."""

    def __init__(self, tmp_path: Path, program: Callable[[World], int] | None, looks: tuple[int, ...] = (2, 4)) -> None:
        self.plan, self.sink = plan_of(looks), MemorySink()
        self.folder, self.court = Folder(tmp_path, Path("out")), Court(literal)
        self.sandbox = FakeSandbox(program or answering())
        room = (
            goal_room(
                settings(),
                KEY,
                cast(Any, self.sandbox),
                GATEWAY,
                compose.goal_worker(),
                compose.providers(),
                Purse(None),
            )
            if program
            else None
        )
        self.grades = Grades(
            self.plan, LivePlan(looks=looks), compose.metrics(), self.court, self.folder, cast(Any, self.sink), None,
            room.settle if room else None,
        )  # fmt: skip
        for planned in self.plan.trials:
            path = f"trials/{planned.digest}/trajectory.json"
            said = "TOTAL 7" if planned.arm is Arm.WITH_SKILL else "I cannot."
            trajectory = snippets.trajectory("claude-code", [{"sh": "cat a.csv", "out": "3 4"}, {"say": said}])
            self.folder.write(path, trace_file.write(trajectory), mode=0o600)
            self.trials = {
                **getattr(self, "trials", {}),
                planned.digest: snippets.trial(
                    planned.arm.value, digest=planned.digest, case=planned.case, attempt=planned.attempt,
                    stage=planned.stage, trajectory=path, mode=planned.mode,
                ),
            }  # fmt: skip

    def look(self, number: int) -> None:
        self.grades.trials.update({digest: trial for digest, trial in self.trials.items() if trial.stage <= number})
        self.grades.decided(number)

    @property
    def last(self) -> dict[str, Score]:
        """The last grade of goal accuracy by trial, as it was written down."""
        rows = [row for row in self.sink.lines if isinstance(row, Score) and row.metric == "goal_accuracy"]
        return {row.trial: row for row in rows}

    def ways(self) -> set[str]:
        return {row.method.rpartition("/")[2] for row in self.last.values()}


def test_every_arm_is_graded_by_the_worker_and_its_verdict_enters_the_outcome(tmp_path: Path) -> None:
    run = Run(tmp_path, answering())
    run.look(1)
    run.look(2)
    assert len(run.last) == 8 and run.ways() == {"ragas-0.4.3"}
    for digest, row in run.last.items():
        assert row.value == float(run.trials[digest].arm is Arm.WITH_SKILL) and row.fallback == ""
    outcomes = [row for row in run.sink.lines if isinstance(row, Score) and row.metric == "outcome"]
    assert {row.method for row in outcomes} == {"gpt-5.4/p2/ragas-0.4.3"}
    assert not any(question.item.startswith("goal/") for question in run.court.asked), "nobody is asked twice"


def test_the_worker_has_a_token_of_the_gateway_and_never_the_key(tmp_path: Path) -> None:
    run = Run(tmp_path, answering())
    run.look(1)
    (session,) = run.sandbox.sessions
    first, *rest = session.gateway.received
    assert isinstance(first, Secrets) and first.keys == {"judge": "sk-canary"}, "the key goes to the gateway alone"
    assert all("sk-canary" not in repr(order) for order in rest)
    (job,) = session.jobs
    assert "sk-canary" not in repr((job.command, job.environment, job.stdin, [file.data for file in job.home]))
    assert job.environment["RAGAS_DO_NOT_TRACK"] == "true" and not job.network
    armed = next(order for order in rest if isinstance(order, ArmSlot))
    assert (armed.model, armed.upstream, armed.hosts) == ("gpt-5.4", "judge", ())
    assert json.loads(job.stdin)["base_url"] == "http://127.0.0.1:8000/v1"


def test_one_failure_and_every_arm_of_every_look_is_graded_alike(tmp_path: Path) -> None:
    run = Run(tmp_path, answering(2))
    run.look(1)
    assert run.ways() == {"ragas-0.4.3"}
    run.look(2)
    assert len(run.last) == 8 and run.ways() == {"two_step"}
    assert all("another form" in row.fallback for row in run.last.values())
    assert {row.value for row in run.last.values()} == {0.0, 1.0}
    outcomes = {row.trial: row for row in run.sink.lines if isinstance(row, Score) and row.metric == "outcome"}
    assert {row.method for row in outcomes.values()} == {"judge-1/p2/two_step"}


def test_after_a_failure_the_worker_is_not_asked_again(tmp_path: Path) -> None:
    run = Run(tmp_path, answering(1))
    run.look(1)
    run.look(2)
    assert len(run.sandbox.sessions) == 1 and run.ways() == {"two_step"}
    assert all(row.fallback for row in run.last.values())


def test_a_fallback_is_no_unfair_comparison_and_the_comment_says_it(tmp_path: Path) -> None:
    run = Run(tmp_path, answering(2))
    run.look(1)
    run.look(2)
    header = a_run(settings=TWO_ARMS)
    scores = [row for row in run.sink.lines if isinstance(row, Score)]
    report = assemble([header, a_changed_skill(ROOT), *run.trials.values(), *scores, RunEnded()])
    live = report.skills[0].live
    assert live is not None and not live.unfair
    row = next(item for item in live.metrics if item.metric == "goal_accuracy")
    assert row.method.endswith("two_step") and "another form" in row.fallback
    told = RENDERER.render(report, Place(links=PageLinks(server_url="https://github.com"), forge="github"))
    assert "goal accuracy (`two_step`)" in told
    assert "Graded by another method in every arm, goal accuracy: the RAGAS worker" in told and "another form" in told


def test_a_mixture_that_was_not_evened_out_is_unfair(tmp_path: Path) -> None:
    run = Run(tmp_path, answering())
    run.look(1)
    run.look(2)
    scores = [row for row in run.sink.lines if isinstance(row, Score)]
    first = next(row for row in scores if row.metric == "goal_accuracy")
    mixed = [*scores, replace(first, method="judge-1/p2/two_step")]
    header = a_run(settings=TWO_ARMS)
    live = assemble([header, a_changed_skill(ROOT), *run.trials.values(), *mixed, RunEnded()]).skills[0].live
    assert live is not None and Unfair.JUDGE in live.unfair


def test_a_process_metric_of_two_judges_has_levels_and_no_lift(tmp_path: Path) -> None:
    run = Run(tmp_path, answering())
    run.look(1)
    run.look(2)
    scores = [row for row in run.sink.lines if isinstance(row, Score)]
    arms = {digest: trial.arm for digest, trial in run.trials.items()}
    scores += [
        Score(
            trial=digest, metric="behavior_check", value=1.0, because="",
            method="judge-1/p2/votes" if arms[digest] is Arm.WITH_SKILL else "judge-2/p2/votes",
        )
        for digest in run.trials
    ]  # fmt: skip
    header = a_run(settings=TWO_ARMS)
    live = assemble([header, a_changed_skill(ROOT), *run.trials.values(), *scores, RunEnded()]).skills[0].live
    assert live is not None and not live.unfair, "the outcome was graded alike"
    rows = {row.metric: row for row in live.metrics}
    for name in ("behavior_check", "composite"):
        lift = rows[name].lift
        assert lift is not None and lift.estimate is None and "graded in 2 ways" in lift.because
    outcome = rows["outcome"].lift
    assert outcome is not None and outcome.estimate is not None


@pytest.mark.parametrize("how", ["lost", "crash", "flood"])
def test_a_sandbox_that_fails_is_a_fallback(tmp_path: Path, how: str) -> None:
    def program(world: World) -> int:
        if how == "lost":
            raise Loss("the daemon went away")
        if how == "flood":
            world.out += b"x" * (world.job.limits.log_bytes + 1)
            return 0
        world.err += b"Traceback\nMemoryError: no\n"
        return 1

    run = Run(tmp_path, program)
    run.look(1)
    assert run.ways() == {"two_step"}
    said = {"lost": "daemon went away", "crash": "exit code 1 MemoryError", "flood": "bytes of output"}[how]
    assert all(said in row.fallback for row in run.last.values())


def test_a_resumed_run_keeps_the_method_of_the_first(tmp_path: Path) -> None:
    first = Run(tmp_path, None)
    first.look(1)
    again = Run(tmp_path, answering())
    again.grades.known(first.trials.values(), first.grades.all_scores)
    again.look(2)
    assert again.ways() == {"two_step"} and again.sandbox.sessions == []
    assert {row.fallback for row in again.last.values()} == {RESUMED}


def test_a_resumed_run_without_the_worker_grades_the_first_again(tmp_path: Path) -> None:
    first = Run(tmp_path, answering())
    first.look(1)
    again = Run(tmp_path, None)
    earlier = {digest: trial for digest, trial in first.trials.items() if trial.stage == 1}
    again.grades.known(earlier.values(), first.grades.all_scores)
    again.look(2)
    assert len(again.last) == 8 and again.ways() == {"two_step"}
    assert NOT_HERE in {row.fallback for row in again.last.values()}


def room(way: str, provider: str = "openai", env: dict[str, str] | None = None, built: bool = False) -> Any:
    sandbox = FakeSandbox(answering())
    if built:
        sandbox.built.add("ragas")
    return goal_room(
        settings(way, provider), KEY if env is None else env, cast(Any, sandbox), GATEWAY, compose.goal_worker(),
        compose.providers(), Purse(None),
    )  # fmt: skip


def test_auto_takes_the_worker_where_it_is_installed_and_builds_nothing() -> None:
    assert room("auto") is None
    assert room("auto", built=True) is not None
    assert room("two_step", built=True) is None
    assert room("ragas") is not None, "named, so it is built"


def test_who_cannot_speak_to_the_worker_grades_by_two_steps_or_is_refused() -> None:
    anthropic = {"ANTHROPIC_API_KEY": "sk-canary"}
    assert room("auto", "anthropic", anthropic, built=True) is None
    with pytest.raises(UsageError, match="Chat Completions"):
        room("ragas", "anthropic", anthropic)
    assert room("ragas", env={}) is None, "without a judge there is nothing to choose"


def test_a_server_of_ones_own_is_reached_from_the_gateways_container() -> None:
    own = Settings.model_validate(
        {
            "judge": {"provider": "compatible", "base_url": "http://127.0.0.1:9/v1", "model": "m"},
            "live": {"goal_accuracy": "ragas"},
            "budget": {"usd": None},
        }
    )
    sandbox = FakeSandbox(answering())
    found = goal_room(own, {}, cast(Any, sandbox), GATEWAY, compose.goal_worker(), compose.providers(), Purse(None))
    assert found is not None
    assert (found.upstream.base_url, found.upstream.insecure) == ("http://host.docker.internal:9", True)
    assert found.secrets.keys == {}
