"""A budget in dollars for a model whose price nobody knows."""

from __future__ import annotations

from aces_ci.core.amount import usd
from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain


def unknown_price(model: str, cap_micros: int) -> UsageError:
    """The refusal, the same for judges and agents: what cannot be counted cannot be capped."""
    return UsageError(
        f"the price of `{plain(model, 60)}` is not known, so the budget of {usd(cap_micros)} cannot be kept",
        code="unknown_price",
        at="budget.usd (--max-usd, --set budget.usd=)",
        why="nothing was spent: what a request can cost is set aside before it goes out, and nobody knows how much",
        do="give it: --set 'prices=[{model: NAME, input: 0, output: 0}]' (US dollars per million tokens; 0 for a "
        "server of your own), or lift the budget: --set budget.usd=null",
    )
