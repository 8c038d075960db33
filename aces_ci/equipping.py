"""With what a plan is run and graded: ports, limits, the one purse, the judge, the rooms of graders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass

from aces_ci import compose, goal_method, grading, trialling
from aces_ci.core.errors import UsageError
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import TrialPlan
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import Program, Sandbox
from aces_ci.ports.sink import Sink
from aces_ci.resuming import Earlier
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.tiers import live
from aces_ci.tiers.affordable import CODE as TOO_SMALL
from aces_ci.tiers.affordable import affordable as refuse_unaffordable
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.choose_judge import NoJudge, choose
from aces_ci.tiers.grader_room import GraderRoom
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """What the command and the main job have in common before a trial starts."""

    settings: Settings
    env: Mapping[str, str]
    folder: Folder
    sandbox: Sandbox
    harnesses: Mapping[str, Harness]
    reach: trialling.Access
    purse: Purse
    """Agents, judges and the goal worker are paid from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What `tiers.live.run` is given, and who grades what comes of it."""

    means: live.Means
    grades: grading.Grades


def affordable(rig: Rig, found: Earlier, say: Callable[[str], None], *, parts: int = 1) -> None:
    """Refuse a budget that lets no request of an agent out, before images are built for it.

    Not where an earlier start left runs: they are worth their report, and the schedule starts no more of them. `say`
    hears what nobody can tell before an agent has asked.

    Raises:
        UsageError: it is too small, or no price is known that it could be kept by.
    """
    who = trialling.contenders(rig.settings, rig.harnesses, rig.reach, {})
    judged = _judged(rig)
    paid = found.book.total
    try:
        for doubt in refuse_unaffordable(who, rig.harnesses, rig.purse, judged=judged, paid_micros=paid, parts=parts):
            say(doubt)
    except UsageError as error:
        if not found.trials or error.code != TOO_SMALL:
            raise


def left_micros(rig: Rig, found: Earlier) -> int | None:
    """What agents may still spend, in millionths of a dollar; None without a budget."""
    paid = found.book.total
    budget = Budget.beside(rig.purse, None, judged=_judged(rig), paid_micros=paid)
    return None if budget.usd_micros is None else max(0, budget.usd_micros - budget.kept_micros - paid)


def _judged(rig: Rig) -> bool:
    return not isinstance(choose(rig.settings, rig.env, compose.providers()), NoJudge)


@contextmanager
def judging(plan: TrialPlan, rig: Rig, *, believed: bool = True) -> Iterator[Asker | None]:
    """Who grades traces, until the block is left; None without a key. Answers in the folder are read where `believed`.

    Raises:
        UsageError: the plan cannot be graded without one.
    """
    asker = compose.bench(rig.env, rig.folder).asker(rig.settings, plan.design.trust, rig.purse, believed=believed)
    with closing(asker) if isinstance(asker, Asker) else nullcontext() as judge:
        trialling.gradeable(plan, judge is not None)
        yield judge


def equip(
    plan: TrialPlan,
    rig: Rig,
    gateway: Program,
    analysis: LivePlan,
    judge: Asker | None,
    found: Earlier,
    sink: Sink,
) -> Kit:
    """Everything that running this plan takes, with the grades of what is there already.

    Raises:
        UsageError: earlier runs were graded by another method, or a worker that the settings name cannot be had.
    """
    # Parts of the run that agents are labelled with: a start after a kill removes all of it at once.
    key = rig.folder.key
    room = GraderRoom.of(plan, rig.sandbox, rig.env, f"{key}.graders")
    goals = goal_method.goal_room(
        rig.settings,
        rig.env,
        rig.sandbox,
        gateway,
        compose.goal_worker(),
        compose.providers(),
        rig.purse,
        f"{key}.goal",
    )
    settle = goals.settle if goals else None
    grades = grading.Grades(plan, analysis, compose.metrics(), judge, rig.folder, sink, room, settle)
    grades.known(found.trials.values(), found.scores)
    means = live.Means(
        sandbox=rig.sandbox,
        harnesses=rig.harnesses,
        program=gateway,
        secrets=rig.reach.secrets,
        upstreams=rig.reach.upstreams,
        prices=trialling.prices_of(rig.settings),
        limits=trialling.limits_of(rig.settings),
        budget=Budget.beside(
            rig.purse, rig.settings.budget.minutes, judged=judge is not None, paid_micros=found.book.total
        ),
        purse=rig.purse,
        converters={item.name: item for item in compose.converters()},
    )
    return Kit(means=means, grades=grades)
