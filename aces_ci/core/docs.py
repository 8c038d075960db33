"""Addresses of our own pages, at the version that speaks."""

from __future__ import annotations

from aces_ci import __version__

BASE = f"https://github.com/aces-ci/aces-ci/blob/v{__version__}/docs"


def rule(code: str) -> str:
    """The page of a rule; every rule has an anchor of its code in lower case."""
    return f"{BASE}/rules.md#{code.lower()}"


def page(name: str) -> str:
    """A page of `docs/`, e.g. `evals` or `forks`."""
    return f"{BASE}/{name}.md"
