"""Whether a budget lets any request of an agent out, asked before anything is built or started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from aces_ci.core.amount import usd
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.core.plan import Contender
from aces_ci.core.spending.control import Limits
from aces_ci.core.spending.price import bound
from aces_ci.ports.harness import Harness
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import GRADING_SHARE, Budget

CENT = 10_000
CODE = "budget_too_small"


def set_aside(contender: Contender, harnesses: Mapping[str, Harness], max_output: int = Limits().max_output) -> int:
    """Millionths of a dollar that its first request sets aside at least; 0 where price or program are unknown."""
    harness = harnesses.get(contender.harness)
    opening = harness.opening if harness is not None else None
    if opening is None or contender.price is None:
        return 0
    return bound(contender.price, opening.prompt, min(opening.answer, max_output))


def affordable(
    who: Sequence[Contender],
    harnesses: Mapping[str, Harness],
    purse: Purse,
    *,
    judged: bool,
    paid_micros: int = 0,
    parts: int = 1,
) -> None:
    """Refuse a budget of which one of the agents could not send a single request: all its trials would fail unasked.

    `paid_micros`: by agents in earlier starts; what else is gone of the purse went to judges. `parts`: runners that
    share the budget equally.

    Raises:
        UsageError: with both amounts and what would be enough.
    """
    budget = Budget.beside(purse, None, judged=judged, paid_micros=paid_micros)
    if budget.usd_micros is None or not who:
        return
    left = max(0, budget.usd_micros - budget.kept_micros - paid_micros)
    dearest = max(who, key=lambda item: set_aside(item, harnesses))
    least = set_aside(dearest, harnesses)
    if left >= least:
        return
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
        do=f"give at least {usd(enough)}, or name a cheaper model under live.harnesses",
    )
