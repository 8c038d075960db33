"""Trigger simulation: would the right requests find the skill, and the wrong ones pass it by?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="trigger_simulation",
    place=7,
    asks=(
        "Imagine five requests for which an agent should take this skill and three similar ones for which"
        " it should not. Judge whether its name and description alone would sort all eight correctly."
    ),
    high="all eight would be sorted correctly by the words of the description",
    low="most requests of the task would miss it, or unrelated requests would take it",
)
