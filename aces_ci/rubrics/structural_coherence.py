"""Structural coherence: are the manifest and its files one whole?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Needs, Rubric

RUBRIC = Rubric(
    name="structural_coherence",
    place=10,
    asks=(
        "Whether the manifest and the scripts and references beside it are one whole: each file is "
        "introduced where it is needed, does what is said of it, and nothing is said twice in different "
        "ways."
    ),
    high="every file is introduced with its purpose and its use, and text and files agree",
    low=(
        "files that nothing mentions, files that are mentioned and missing, or text and files that "
        "contradict one another"
    ),
    needs=Needs.FILES,
)
