"""A plan as a person is asked about it: runs, dollars and minutes of each skill, from the first look to the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.plan import PlannedTrial, Subject, TrialPlan, arms_of, looks_of
from aces_ci.core.proposal import Fate, Proposed, ScriptChange
from aces_ci.core.skill import SkillFile
from aces_ci.core.spending.forecast import Expected, Forecast, forecast
from aces_ci.core.suites.case import Case

SCRIPTS = 20
"""Scripts of one skill that are told apart; the list of changed files has the rest."""


def proposed(plan: TrialPlan, skill: str) -> Proposed:
    """What the plan does for one skill, over both its tables."""
    subjects = [subject for subject in plan.subjects if subject.skill == skill]
    trials = [trial for trial in plan.trials if trial.skill == skill]
    first, last = _ahead(plan, [trial for trial in trials if trial.stage == 1]), _ahead(plan, trials)
    looks = looks_of(subjects[0], plan.design)
    money = None
    if first.usd_micros is not None and last.usd_micros is not None:
        money = (first.usd_micros, last.usd_micros)
    return Proposed(
        skill=skill,
        cases=_count(subjects, "base"),
        own_cases=_count(subjects, "head"),
        arms=len(arms_of(subjects[0], plan.design.arms)),
        agents=len(plan.contenders),
        attempts=(looks[0], looks[-1]),
        runs=(first.trials, last.trials),
        usd_micros=money,
        minutes=(first.minutes, last.minutes),
    )


def cases_changed(deciding: Iterable[Case], own: Iterable[Case]) -> int:
    """Cases, by id, that one side has and the other has not, or has otherwise."""
    ours, theirs = ({case.id: case for case in cases} for cases in (own, deciding))
    return sum(ours.get(name) != theirs.get(name) for name in ours.keys() | theirs.keys())


def scripts_changed(
    root: str, files: Iterable[str], before: Mapping[str, SkillFile], after: Mapping[str, SkillFile]
) -> tuple[ScriptChange, ...]:
    """The changed files of a skill that lie in a folder `scripts/`; `before` and `after` by skill-relative path."""
    found = []
    for path in files:
        below = path if root == "." else path.removeprefix(f"{root}/")
        if "/scripts/" in f"/{path}" and (below in before or below in after):
            data = after[below].data if below in after else None
            fate = Fate.REMOVED if below not in after else Fate.CHANGED if below in before else Fate.NEW
            found.append(ScriptChange(path=path, fate=fate, lines=None if data is None else len(data.splitlines())))
    return tuple(found[:SCRIPTS])


def _ahead(plan: TrialPlan, trials: Sequence[PlannedTrial]) -> Forecast:
    prices = [plan.contenders[trial.contender].price for trial in trials]
    return forecast(prices, len(trials), plan.design.workers, Expected())


def _count(subjects: Iterable[Subject], side: str) -> int:
    return sum(len(subject.cases) for subject in subjects if subject.side == side)
