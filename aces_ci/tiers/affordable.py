"""Whether a budget lets any request of an agent out, asked before anything is built or started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from aces_ci.core.amount import usd
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.core.plan import Contender
from aces_ci.core.spending.control import Limits
from aces_ci.core.spending.opening import Opening
from aces_ci.core.spending.price import bound
from aces_ci.core.spending.unknown_price import unknown_price
from aces_ci.ports.harness import Harness
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import GRADING_SHARE, Budget

CENT = 10_000
CODE = "budget_too_small"
ANY = Opening(prompt=2_000, answer=1)
"""Of a program that nobody measured: what the gateway adds to any prompt, and an answer of one token."""


def set_aside(contender: Contender, harnesses: Mapping[str, Harness], max_output: int = Limits().max_output) -> int:
    """Millionths of a dollar that its first request sets aside at least; 0 where the price is unknown."""
    if contender.price is None:
        return 0
    opening = _opening(contender, harnesses) or ANY
    return bound(contender.price, opening.prompt, min(opening.answer, max_output))


def affordable(
    who: Sequence[Contender],
    harnesses: Mapping[str, Harness],
    purse: Purse,
    *,
    judged: bool,
    paid_micros: int = 0,
    parts: int = 1,
) -> tuple[str, ...]:
    """Refuse a budget of which one of the agents could not send a single request: all its trials would fail unasked.

    `paid_micros`: by agents in earlier starts; what else is gone of the purse went to judges. `parts`: runners that
    share the budget equally.

    Returns what nobody can tell, a sentence an agent: a program of the author's own opens with what it likes.

    Raises:
        UsageError: with both amounts and what would be enough, or for a model without a price under a budget.
    """
    budget = Budget.beside(purse, None, judged=judged, paid_micros=paid_micros)
    if budget.usd_micros is None or not who:
        return ()
    for contender in who:
        if contender.price is None:
            raise unknown_price(contender.model, (purse.cap or 0) * parts)
    left = max(0, budget.usd_micros - budget.kept_micros - paid_micros)
    dearest = max(who, key=lambda item: set_aside(item, harnesses))
    least = set_aside(dearest, harnesses)
    if left >= least:
        return tuple(_cannot_tell(item, harnesses, left) for item in who if _doubtful(item, harnesses, left))
    agents = least + paid_micros
    share = agents * GRADING_SHARE / (GRADING_SHARE - 1) if judged else agents
    enough = ceil((share + purse.spent - paid_micros) / CENT) * CENT * parts
    kept = f" ({usd(budget.kept_micros)} are kept for grading)" if budget.kept_micros else ""
    raise UsageError(
        f"the budget leaves agents {usd(left)}{kept}, and one request of {dearest.harness} to "
        f"{plain(dearest.model, 60)} sets aside at least {usd(least)}: raise `budget.usd` to {usd(enough)} or more",
        code=CODE,
        at="budget.usd (--max-usd, --set budget.usd=)",
        why="nothing was spent: the most that a request can cost is set aside before it goes out, so none would",
        do="raise it, or name a cheaper model under live.harnesses",
    )


def _opening(contender: Contender, harnesses: Mapping[str, Harness]) -> Opening | None:
    harness = harnesses.get(contender.harness)
    return harness.opening if harness is not None else None


def _widest(contender: Contender, harnesses: Mapping[str, Harness]) -> int:
    """What the first request of the most demanding program that was measured would set aside with this model."""
    known = [harness.opening for harness in harnesses.values() if harness.opening is not None]
    if contender.price is None or not known:
        return 0
    return max(bound(contender.price, item.prompt, min(item.answer, Limits().max_output)) for item in known)


def _doubtful(contender: Contender, harnesses: Mapping[str, Harness], left: int) -> bool:
    return _opening(contender, harnesses) is None and left < _widest(contender, harnesses)


def _cannot_tell(contender: Contender, harnesses: Mapping[str, Harness], left: int) -> str:
    return (
        f"cannot tell whether {usd(left)} let a request of `{contender.harness}` out: how much it asks for is its own; "
        f"where it asks as much as the agents that are known, {usd(_widest(contender, harnesses))} are set aside for it"
    )
