"""The five dimensions that readers see (ACES paper, section 4): names for metrics, or means of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aces_ci.core.score import Score

DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "security": ("security",),
    "correctness": ("accuracy",),
    "discoverability": ("skill_execution",),
    "effectiveness": ("goal_accuracy", "behavior_check"),
    "efficiency": ("skill_efficiency",),
}
"""Dimension to the metrics that it is the plain mean of. Custom metrics stand beside, never inside."""


def dimensions(scores: Iterable[Score]) -> Mapping[str, float | None]:
    """Each dimension of one trial over those of its metrics that were scored; None where none was."""
    values = {score.metric: score.value for score in scores}
    found: dict[str, float | None] = {}
    for name, metrics in DIMENSIONS.items():
        known = [value for metric in metrics if (value := values.get(metric)) is not None]
        found[name] = round(sum(known) / len(known), 9) if known else None
    return found
