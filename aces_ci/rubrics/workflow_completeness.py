"""Workflow completeness: do the steps lead to a finished, checked result?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="workflow_completeness",
    place=8,
    asks=(
        "Whether the steps lead from the request to a finished, checked result without a gap: "
        "preparation, work, check, hand-over."
    ),
    high=(
        "every step leads to the next, choices have their branches, and the result is checked before it is handed over"
    ),
    low="steps are missing in the middle, or it stops before there is a result",
)
