"""How much alpha may be gone after which part of the plan. Plain arithmetic: the planner asks it as well."""

from __future__ import annotations

from math import e, log


def spending(fraction: float, alpha: float) -> float:
    """Cumulative alpha that may be gone at a fraction of the planned attempts in [0, 1].

    Of Pocock type (Lan and DeMets 1983), for one side.
    """
    return alpha * log(1 + (e - 1) * min(1.0, fraction))
