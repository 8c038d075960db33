"""How often Python looks for garbage that refers to itself."""

from __future__ import annotations

import gc


def rarely() -> None:
    """After 50,000 new values in place of 700: reading texts makes millions of small ones and hardly a cycle.

    Saves 8 % of the time of `check` over many skills (benchmarks/rules_speed.py).
    """
    gc.set_threshold(50_000, 20, 20)
