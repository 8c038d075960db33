"""Example quality: do the examples show the shape to copy?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="example_quality",
    place=3,
    asks=(
        "Whether the examples show a real input with the result it must lead to, so that an agent can copy the shape."
    ),
    high="complete, correct examples of the usual case and of a hard one, consistent with the instructions",
    low="no example, or one that is a placeholder, cannot be run, or contradicts the instructions",
)
