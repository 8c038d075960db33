"""Professional tone: is the text written for work?"""

from __future__ import annotations

from aces_ci.core.asking.rubric import Rubric

RUBRIC = Rubric(
    name="professional_tone",
    place=6,
    asks=("Whether the text is written for work: neutral, direct, free of marketing, insults, pressure and filler."),
    high="plain and direct throughout",
    low="boasts, shouts, jokes, threatens or pads so much that instructions are hard to find",
)
