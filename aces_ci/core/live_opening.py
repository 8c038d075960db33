"""What `aces-ci live` says before it asks: what will run, what it will cost, and what stands open to it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from math import ceil

from aces_ci.core.amount import dollars, in_micros, plural
from aces_ci.core.inert import plain
from aces_ci.core.plan import TrialPlan

OPEN = "no isolation: network and files of this machine are open; results are unverified"
_CENT = 10_000


def opening(
    plan: TrialPlan,
    cap: float | None,
    isolated: bool = True,
    left_micros: int | None = None,
    done: Container[str] = (),
) -> Iterator[str]:
    """Each skill, then the price of all.

    Args:
        cap: dollars for agents and those who grade them.
        isolated: whether agents run in a sandbox that closes the network.
        left_micros: of the cap, what agents may still spend; None without one.
        done: digests of runs that are there already.
    """
    looks, forecast = plan.design.looks, plan.forecast
    runs = f"{looks[0]} to {looks[-1]}" if len(looks) > 1 else str(looks[0])
    for subject in plan.subjects:
        arms = len({trial.arm for trial in plan.trials if trial.skill == subject.skill})
        who = " · ".join(f"{item.harness} {item.version} · {plain(item.model, 60)}" for item in plan.contenders)
        size = (
            f"{plural(len(subject.cases), 'case')} × {runs} {'run' if runs == '1' else 'runs'} × {plural(arms, 'arm')}"
        )
        yield f"{plain(subject.skill.rsplit('/', 1)[-1], 60)} · {size} · {who}"
    money = "price unknown" if forecast.usd_micros is None else f"about {dollars(forecast.usd_micros)}"
    most = "" if cap is None else f", at most {dollars(in_micros(cap))}"
    network = " and ".join(("model", *plan.design.network)) if plan.design.network else "model only"
    reach = f" · network: {network}" if isolated else ""
    yield f"reuse {forecast.reused} · new {forecast.new} · {money}{most} · about {forecast.minutes:.0f} min{reach}"
    if not isolated:
        yield OPEN
    if left_micros is not None:
        yield from too_short(plan, left_micros, done)


def too_short(plan: TrialPlan, left_micros: int, done: Container[str] = ()) -> Iterator[str]:
    """Where the budget ends before the plan does: how far it reaches. `left_micros`: the agents' part of it."""
    forecast = plan.forecast
    if not forecast.usd_micros or forecast.usd_micros <= left_micros:
        return
    each, looks = forecast.usd_micros / forecast.new, len(plan.design.looks)
    paid = int(left_micros / each)
    stages = [trial.stage for trial in plan.trials if trial.digest not in done]
    until = [sum(stage <= look for stage in stages) for look in range(1, looks + 1)]
    reached = sum(count <= paid for count in until)
    far = f"look {reached} of {looks} is as far as it gets"
    if not reached:
        price = dollars(ceil(until[0] * each / _CENT) * _CENT)
        far = f"look 1 of {looks} takes {until[0]}, about {price}: no verdict is likely"
    yield f"the budget ends before the plan: agents' part pays for about {paid} of {forecast.new} new runs; {far}"
