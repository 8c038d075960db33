"""Documentation completeness: is everything needed here or linked?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="documentation_completeness",
    place=4,
    asks=(
        "Whether everything that is needed to do the task is here or linked: prerequisites, inputs, "
        "outputs, options, limits."
    ),
    high="an agent that knows nothing of the project could start and finish with what is written",
    low="central inputs, tools or outputs are not mentioned",
)
