"""How a reader starts this very version at a terminal."""

from __future__ import annotations

from aces_ci import __version__

JUDGE = "judge"
LIVE = "live"
"""Extras of the package (pyproject.toml): without them these tiers are not installed."""


def uvx(*extras: str) -> str:
    """The program as one copies it, pinned to this version, with the extras that the command behind it needs."""
    if not extras:
        return f"uvx aces-ci@{__version__}"
    return f"uvx 'aces-ci[{','.join(extras)}]@{__version__}'"
