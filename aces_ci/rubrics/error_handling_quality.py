"""Error-handling quality: is it said what to do when a step fails?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="error_handling_quality",
    place=9,
    asks=(
        "Whether the skill says how to notice that a step failed, and what to do then: retry, fall back, "
        "ask, or stop and say so."
    ),
    high="the likely failures are named with a way to notice and a way on for each",
    low="failure is not mentioned, or failures are hidden or ignored",
)
