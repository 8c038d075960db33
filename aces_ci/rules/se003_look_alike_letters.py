"""A word mixes Latin letters with others that look the same.

`pаypal` with a Cyrillic а is another name than `paypal`: a reviewer reads one thing, a resolver, a search or a
model gets another. Whole words of another script are fine, and so are Greek letters in formulas.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.documents import documents
from aces_ci.core.scan.hidden_text import Trick, find
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for path, text in documents(skill):
        for hidden in find(text):
            if hidden.trick is Trick.LOOK_ALIKE:
                yield Problem(
                    path=path,
                    line=hidden.line,
                    column=hidden.column,
                    end_column=hidden.column + hidden.length,
                    message=f"Here stands {hidden.what}.",
                )


RULE = Rule(
    code="SE003",
    slug="look-alike-letters",
    title="word mixes letters that look alike",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    hint="retype the word with the letters of one script",
    check=check,
    fires_beyond="openclaw/skills/skills/aviv4339/indirect-prompt-injection at 3a5f649",
    silent_on="openclaw/skills/skills/guows520/permanent-note-generator",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nOpen https://p\u0430ypal.com first.\n")}, lines=(7,)),
        Example(files={"SKILL.md": manifest("# Sample\n\nПривет, мир. Δt is the step, α and β the weights.\n")}),
    ),
)
