"""Interval of a share (Wilson 1927) in closed form: a judge is calibrated without the live tier's packages."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""Two-sided 95 % point of the normal law."""


def wilson(hits: int, count: int, z: float = Z_95) -> tuple[float, float]:
    """Bounds of the share behind `hits` of `count`; nothing seen is everything possible."""
    return bounds_of(hits / count, count, z) if count else (0.0, 1.0)


def bounds_of(share: float, count: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's bounds of a share in [0, 1] that rests on `count` trials, which need not be a whole number of them."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, centre - half), min(1.0, centre + half)


def paired_difference(both: int, first: int, second: int, neither: int, z: float = Z_95) -> tuple[float, float, float]:
    """Share of `first` minus share of `second` over the same units, with its interval (Newcombe 1998, method 10).

    Counts of units: yes on both sides, on the first only, on the second only, on neither. No units: (0, -1, 1).
    """
    count = both + first + second + neither
    if count == 0:
        return 0.0, -1.0, 1.0
    one, two = (both + first) / count, (both + second) / count
    (low_one, high_one), (low_two, high_two) = wilson(both + first, count, z), wilson(both + second, count, z)
    product = (both + first) * (second + neither) * (both + second) * (first + neither)
    tie = 0.0 if product == 0 else (both * neither - first * second) / sqrt(product)

    def reach(of_one: float, of_two: float) -> float:
        return sqrt(max(0.0, of_one**2 - 2 * tie * of_one * of_two + of_two**2))

    return one - two, one - two - reach(one - low_one, high_two - two), one - two + reach(high_one - one, two - low_two)
