"""Instruction clarity: can each instruction be followed without guessing?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="instruction_clarity",
    place=2,
    asks=(
        "Whether each instruction of the body can be followed without guessing: who does what, with which"
        " command, file or value, and in which order."
    ),
    high=("every step names its action and its object exactly; terms keep one meaning; conditions say when they hold"),
    low=("steps are wishes (`handle it properly`), refer to things that are not named, or contradict one another"),
)
