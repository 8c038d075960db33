"""Lifts and levels as people read them: points of 100, typographic minus, nothing that breaks in a narrow
column.

Shown numbers subtract: a row whose integers would not gets one decimal, and where that does not help the
reader is told that it is rounded (`Row.rounded`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.core.estimate import Estimate

NBSP = "\u00a0"
MINUS = "−"
BAR_WIDTH = 20
BAR_HEADER = "0········50······100"
_STEP = 5
"""Points a character."""


def number(value: float, decimals: int = 0) -> str:
    """A share in [-1, 1] as points without a plus."""
    text = f"{100 * value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def signed(value: float, decimals: int = 0) -> str:
    """A difference as points: `+29`, `−31`, `0`."""
    text = number(value, decimals)
    return f"+{text}" if float(text.replace(MINUS, "-")) > 0 else text


def limit(value: float) -> str:
    """An end of an interval; one decimal where an integer would read 0 and the end is not."""
    return signed(value, 1 if round(100 * value) == 0 and abs(value) >= 0.0005 else 0)


def interval(estimate: Estimate) -> str:
    """`[+10, +47]` of a difference, unbreakable."""
    return f"[{limit(estimate.low)},{NBSP}{limit(estimate.high)}]"


def level_interval(estimate: Estimate) -> str:
    """`[30, 54]` of a level, unbreakable."""
    return f"[{number(estimate.low)},{NBSP}{number(estimate.high)}]"


def percent(estimate: Estimate) -> str:
    """A ratio minus 1: `−19 % [−31, −6]`."""
    return f"{signed(estimate.point)}{NBSP}% {interval(estimate)}"


def p_value(p: float) -> str:
    """`p = .004`, `p < .001`; two decimals from .1 on, without the leading zero."""
    if p < 0.001:
        return f"p{NBSP}<{NBSP}.001"
    text = f"{p:.2f}" if p >= 0.1 else f"{p:.3f}"
    return f"p{NBSP}={NBSP}{'1' if float(text) >= 1 else text.removeprefix('0')}"


def threshold(level: float) -> str:
    """An error that is allowed, as p is written: `.05`, `.034`."""
    return f"{level:.{4 if level < 0.001 else 3}f}".rstrip("0").removeprefix("0")


def bar(estimate: Estimate) -> str:
    """Twenty characters for a level with its interval, five points each. Decoration: the number stands
    beside it."""
    low, middle, high = (100 * value for value in (estimate.low, estimate.point, estimate.high))
    dot = min(BAR_WIDTH - 1, int(_nudged(middle) // _STEP))
    first = min(int(_nudged(low) // _STEP), dot)
    last = max(min(BAR_WIDTH - 1, -int(-(high - 1e-9) // _STEP) - 1), dot)
    return "".join("●" if place == dot else "━" if first <= place <= last else "·" for place in range(BAR_WIDTH))


def _nudged(value: float) -> float:
    """A value that is a multiple of 5 up to rounding belongs to the character that it begins."""
    return max(0.0, value) + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Texts of one row: levels, then differences, at one number of decimals."""

    levels: tuple[str, ...]
    differences: tuple[str, ...]
    decimals: int
    rounded: bool


def row(levels: Sequence[float | None], differences: Sequence[tuple[int, int, float | None]]) -> Row:
    """Format levels and differences so that they subtract.

    Args:
        levels: shares in [0, 1]; None is shown as a dash.
        differences: (index of the minuend, index of the subtrahend, their difference as computed).
    """
    for decimals in (0, 1):
        if all(_subtracts(levels, item, decimals) for item in differences):
            return _row(levels, differences, decimals, rounded=False)
    return _row(levels, differences, 0, rounded=True)


def _row(
    levels: Sequence[float | None],
    differences: Sequence[tuple[int, int, float | None]],
    decimals: int,
    *,
    rounded: bool,
) -> Row:
    return Row(
        levels=tuple("–" if level is None else number(level, decimals) for level in levels),
        differences=tuple("–" if value is None else signed(value, decimals) for _, _, value in differences),
        decimals=decimals,
        rounded=rounded,
    )


def _subtracts(levels: Sequence[float | None], item: tuple[int, int, float | None], decimals: int) -> bool:
    first, second = levels[item[0]], levels[item[1]]
    if first is None or second is None or item[2] is None:
        return True
    shown = [float(f"{100 * value:.{decimals}f}") for value in (first, second, item[2])]
    return abs(shown[0] - shown[1] - shown[2]) < 1e-6
