"""Keeps the memory and the environment of this process from other processes of the same user (docs/trust.md rule 9).

A reader without rights is another user where we are root. Where we are not, it is ours, and a system that lets a
process trace its equals would let it read keys out of its parent, or speak for the process that forks its successors.
"""

from __future__ import annotations

import ctypes
import sys

_SET_DUMPABLE = 4
"""prctl(2); what is not dumpable can be attached to, and read below /proc, by the superuser alone."""


def undumpable() -> None:
    """For this process and its forks; a program that one of them executes begins anew. Nothing where it is unknown."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
