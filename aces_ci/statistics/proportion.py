"""Interval of a share (Wilson 1927) in closed form: a judge is calibrated without the live tier's packages."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""Two-sided 95 % point of the normal law."""


def wilson(hits: int, count: int, z: float = Z_95) -> tuple[float, float]:
    """Bounds of the share behind `hits` of `count`; nothing seen is everything possible."""
    if count == 0:
        return 0.0, 1.0
    share = hits / count
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, centre - half), min(1.0, centre + half)
