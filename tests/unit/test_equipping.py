"""One assembly for the command and the main job: everything that spends holds the same purse."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from aces_ci import compose, trialling
from aces_ci.agent_images import IMAGE, gateway_of
from aces_ci.core.errors import UsageError
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import TrialPlan
from aces_ci.equipping import Kit, Rig, equip, judging
from aces_ci.ports.sandbox import SandboxLost
from aces_ci.resuming import Earlier
from aces_ci.shell.files import Folder
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.purse import Purse
from tests.e2e.live_rig import MemorySink
from tests.fakes.sandbox import FakeSandbox, FakeSession
from tests.metrics.test_goal_in_a_run import KEY, answering, plan_of, settings
from tests.metrics.test_grading_a_run import plan_of as plan_with_grader
from tests.metrics.test_grading_a_run import skill


def equipped(tmp_path: Path, env: dict[str, str], plan: TrialPlan | None = None) -> tuple[Rig, Asker | None, Kit]:
    plan = plan or plan_of()
    rig = Rig(
        settings=settings("ragas"),
        env=env,
        folder=Folder(tmp_path, Path("out")),
        sandbox=cast(Any, FakeSandbox(answering())),
        harnesses=compose.harnesses(),
        reach=trialling.access({"ANTHROPIC_API_KEY": "sk-canary"}, None, in_container=True),
        purse=Purse(1_000_000, 250_000),
    )
    with judging(plan, rig) as judge, rig.folder.held():
        gateway = gateway_of(rig.sandbox, env)
        return rig, judge, equip(plan, rig, gateway, LivePlan(looks=(2, 4)), judge, Earlier(), cast(Any, MemorySink()))


def test_agents_judge_and_goal_worker_are_paid_from_one_purse(tmp_path: Path) -> None:
    rig, judge, kit = equipped(tmp_path, KEY)
    assert judge is not None
    settle = cast(Any, kit.grades)._settle
    assert {id(each) for each in (judge.purse, kit.means.purse, settle.__self__.purse)} == {id(rig.purse)}


def test_agents_and_goal_worker_run_behind_the_gateway_that_was_found(tmp_path: Path) -> None:
    _, _, kit = equipped(tmp_path, KEY)
    goals = cast(Any, kit.grades)._settle.__self__
    assert {kit.means.program.digest, goals.program.digest} == {f"sha256:{IMAGE}"}


def test_what_others_spent_before_is_no_part_of_what_agents_may_spend(tmp_path: Path) -> None:
    _, judge, kit = equipped(tmp_path, KEY)
    assert (kit.means.budget.usd_micros, kit.means.budget.kept_micros) == (750_000, 150_000)
    assert judge is not None


@pytest.mark.parametrize("fails", [False, True])
def test_the_judge_s_connections_are_closed_however_the_run_ends(tmp_path: Path, fails: bool) -> None:
    plan = plan_of()
    rig, _, _ = equipped(tmp_path, KEY, plan)
    with suppress(KeyboardInterrupt), judging(plan, rig) as judge:
        client = cast(Any, judge).provider._client
        assert not client.is_closed()
        if fails:
            raise KeyboardInterrupt
    assert client.is_closed()


def test_a_plan_that_nobody_can_grade_is_refused_before_it_is_equipped(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no outcome could be scored"):
        equipped(tmp_path, {})


def test_what_grades_is_labelled_as_a_part_of_the_run_that_the_next_start_in_the_folder_sweeps(tmp_path: Path) -> None:
    plan = plan_with_grader(skill())
    rig, judge, kit = equipped(tmp_path, KEY, plan)
    sandbox, grades = cast(Any, rig.sandbox), cast(Any, kit.grades)
    sandbox.prepare = lose
    ((_, _, reply),) = grades._room.answers([(cast(Any, None), plan.subjects[0].grader)])
    assert reply.error and grades._settle.__self__._judge([cast(Any, None)])[0].error
    assert sandbox.runs == [f"{rig.folder.key}.graders", f"{rig.folder.key}.goal"]
    assert judge is not None


def lose(session: FakeSession) -> None:
    raise SandboxLost("the daemon went away")
