"""The plan of one skill's comparison, as the evidence recorded it; and what was planned and never came."""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.amount import plural
from aces_ci.core.change import has_previous
from aces_ci.core.evidence import CUT_SHORT, Planned, Skipped, Tier
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.merge import Sorted
from aces_ci.core.trial import Arm


def plan_of(found: Sorted, path: str) -> LivePlan:
    """Lines of the plan outrank the header's settings.

    Raises:
        UsageError: the settings in the header are not a plan.
    """
    settings = found.header.settings
    plan = {path: _fields(found, path)}
    return LivePlan.of({**settings, "plan": plan}, path, skills=_family(found), stopped=_stopped(found, path))


def _fields(found: Sorted, path: str) -> Mapping[str, object]:
    rows = _rows(found, path)
    told: dict[str, object] = {"arms": _arms(found, path, rows)}
    if not rows:
        return told
    deciding = next((row for row in rows if row.side == "base"), rows[0])
    return {
        **told,
        "side": deciding.side,
        # The change's own cases are a second table: one that it adds must not keep the deciding looks open.
        "cases": dict(deciding.cases),
        "agents": [list(agent) for agent in deciding.agents],
        "skills": max(row.skills for row in rows),
        "sandbox": sorted(set(deciding.sandbox.values())) if deciding.sandbox or not deciding.isolated else None,
        "network": list(deciding.network),
        "neighbours": list(deciding.neighbours),
        "spent": list(deciding.spent),
        "looks": list(deciding.looks),
    }


def _rows(found: Sorted, path: str) -> list[Planned]:
    return [row for row in found.planned.values() if row.skill == path]


def _arms(found: Sorted, path: str, rows: list[Planned]) -> list[str]:
    """Arms that were to run. A line that does not name them is held against what the policy compares and how the skill
    changed: the base version of a changed skill is missed where nobody says that there was none.
    """
    named = [arm for row in rows for arm in row.arms]
    if named:
        return named
    live = found.header.settings.get("live")
    policy = live.get("arms") if isinstance(live, Mapping) else None
    arms = [str(arm) for arm in policy] if isinstance(policy, list | tuple) and policy else [arm.value for arm in Arm]
    change = next((row for row in found.skills.values() if row.path == path), None)
    compared = change is not None and has_previous(change.how, change.parts)
    return [arm for arm in arms if compared or arm != Arm.PREVIOUS]


def _family(found: Sorted) -> int:
    """Skills over which alpha is divided: a shard that was lost does not make the others' share larger."""
    return len({row.skill for rows in (found.trials, found.planned) for row in rows.values()})


def _stopped(found: Sorted, path: str) -> str:
    """Why the live tier ended before its last look, where it left a word on it."""
    item = _cut(found, path)
    if item is None:
        return ""
    return "by the budget" if item.code == "budget" else f"because {item.because}"


def _cut(found: Sorted, path: str) -> Skipped | None:
    for item in found.skipped.values():
        if item.tier is Tier.LIVE and item.code in CUT_SHORT and item.skill in {None, path}:
            return item
    return None


def never_came(found: Sorted, path: str) -> str:
    """Why a skill whose cases were planned has no run at all, as a clause; empty where it has, or had no plan.

    A tier that could not start is skipped with its reason, not incomplete: only a run that began can lack its end.
    """
    rows = _rows(found, path)
    if not rows or any(trial.skill == path for trial in found.trials.values()):
        return ""
    words = [row for row in found.skipped.values() if row.tier is Tier.LIVE and row.skill in {None, path}]
    if any(word.code not in CUT_SHORT for word in words):
        return ""
    cases = len({case for row in rows for case in row.cases})
    planned = f"{plural(cases, 'case')} planned and none of their runs came"
    return f"{planned}: {words[0].because}" if words else planned
