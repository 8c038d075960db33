"""What a dead run left behind: found by label, told apart from a live run by age, removed in the order that works."""

from __future__ import annotations

import time

from aces_ci.ports.sandbox import SandboxLost
from aces_ci.sandboxes._docker.engine import Engine, Missing, Refused
from aces_ci.sandboxes._docker.spec import CREATED_LABEL, RUN_LABEL

DEAD_AFTER_SECONDS = 6 * 3600.0
"""Longer than the longest job of any hosted runner's default, so never another live run's things."""


def sweep(engine: Engine, *, run: str | None = None, now: float | None = None) -> int:
    """Remove everything of `run` and its parts (`run.part`), or, without one, of runs older than `DEAD_AFTER_SECONDS`.

    Returns how many things were removed. Never raises: what cannot be removed now is found by the next sweep.
    """
    oldest = (time.time() if now is None else now) - DEAD_AFTER_SECONDS
    try:
        found = engine.labelled(RUN_LABEL)
    except (SandboxLost, Refused, Missing):
        return 0
    removers = {
        "containers": engine.remove,
        "volumes": engine.remove_volume,
        "networks": engine.remove_network,
    }
    removed = 0
    for kind, remove in removers.items():
        for name, labels in found[kind]:
            gone = _of(labels, run) if run is not None else _created(labels) <= oldest
            if not gone:
                continue
            try:
                remove(name)
                removed += 1
            except (SandboxLost, Refused, Missing):
                continue
    return removed


def _of(labels: dict[str, str], run: str) -> bool:
    own = labels.get(RUN_LABEL, "")
    return own == run or own.startswith(f"{run}.")


def _created(labels: dict[str, str]) -> float:
    """Unix seconds; a thing with our label and no readable age is old."""
    try:
        return float(labels.get(CREATED_LABEL, "0"))
    except ValueError:
        return 0.0
