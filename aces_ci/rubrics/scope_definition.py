"""Scope definition: is it clear where the task begins and ends?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="scope_definition",
    place=5,
    asks=(
        "Whether it is clear where the skill's task begins and ends: what it is for, what it is not for, "
        "and what to do with a request beyond it."
    ),
    high="one bounded task, with its edges and neighbouring tasks named",
    low="a loose collection of topics, or a task without any edge",
)
