"""What a start removes of an earlier one: by label and by age, and nothing else."""

from __future__ import annotations

from typing import Any, cast

import pytest

from aces_ci.ports.sandbox import SandboxLost
from aces_ci.sandboxes._docker.sweep import DEAD_AFTER_SECONDS, sweep

NOW = 1_800_000_000.0
YOUNG, OLD = str(int(NOW - 60)), str(int(NOW - DEAD_AFTER_SECONDS - 60))


class Daemon:
    """Containers and volumes by name, with their labels."""

    def __init__(self, stubborn: str = "") -> None:
        things = {
            "agents": ("ab12", YOUNG),
            "graders": ("ab12.graders", YOUNG),
            "goal": ("ab12.goal", YOUNG),
            "others": ("ab123", YOUNG),
            "others-graders": ("ab123.graders", YOUNG),
            "inside": ("x.ab12.goal", YOUNG),
            "dead": ("cd34.graders", OLD),
        }
        self.stubborn = stubborn
        self.left = {
            kind: {f"{kind}-{name}": {"aces-ci.run": run, "aces-ci.created": at} for name, (run, at) in things.items()}
            for kind in ("containers", "volumes", "networks")
        }

    def labelled(self, label: str) -> dict[str, list[tuple[str, dict[str, str]]]]:
        key, _, value = label.partition("=")
        return {
            kind: [(name, labels) for name, labels in rows.items() if key in labels and value in ("", labels[key])]
            for kind, rows in self.left.items()
        }

    def _gone(self, kind: str, name: str) -> None:
        if name == self.stubborn:
            raise SandboxLost("busy")
        del self.left[kind][name]

    def remove(self, name: str) -> None:
        self._gone("containers", name)

    def remove_volume(self, name: str) -> None:
        self._gone("volumes", name)

    def remove_network(self, name: str) -> None:
        self._gone("networks", name)

    @property
    def runs(self) -> set[str]:
        return {labels["aces-ci.run"] for rows in self.left.values() for labels in rows.values()}


ALL = {"ab12", "ab12.graders", "ab12.goal", "ab123", "ab123.graders", "x.ab12.goal", "cd34.graders"}


@pytest.mark.parametrize(
    ("run", "gone"),
    [
        ("ab12", {"ab12", "ab12.graders", "ab12.goal"}),
        ("ab12.graders", {"ab12.graders"}),
        ("cd34", {"cd34.graders"}),
        (None, {"cd34.graders"}),
    ],
)
def test_a_run_goes_with_its_parts_and_a_part_alone(run: str | None, gone: set[str]) -> None:
    daemon = Daemon()
    assert sweep(cast(Any, daemon), run=run, now=NOW) == 3 * len(gone)
    assert daemon.runs == ALL - gone


def test_what_cannot_be_removed_keeps_nothing_else() -> None:
    daemon = Daemon(stubborn="containers-agents")
    assert sweep(cast(Any, daemon), run="ab12", now=NOW) == 8
    assert set(daemon.left["containers"]) & {"containers-graders", "containers-goal"} == set()
