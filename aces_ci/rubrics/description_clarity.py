"""Description clarity: is it clear from the description what the skill does, and when to take it?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="description_clarity",
    place=1,
    asks=(
        "Whether the description in the frontmatter tells an agent, which reads nothing else before it "
        "chooses, what the skill does and in which situations to take it."
    ),
    high=(
        "names the task, the objects it works on and the situations or words that call for it; nothing in"
        " it is vague or boasting"
    ),
    low="says only what area it is about, or could stand over any other skill",
)
