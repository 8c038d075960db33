"""Negative cases close by: the skill's own subject in a task for which the skill is the wrong choice.

Where a description says what the skill is not for, that comes first. Else the words of what it does stand in a task
about words: a router that goes by them alone fires, and any agent can do the task without the skill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NOT_FOR = re.compile(
    r"\b(?:(?:do not|don't|never|not) use (?:it |this |this skill |the skill )?(?:for|to)"
    r"|not (?:meant |intended |suited )?for) (?P<what>[^.;:!?()—–]{4,120})",
    re.IGNORECASE,
)
_FAR = (
    ("Write a haiku about the first frost of the year.", "Answers with a haiku of three lines"),
    ("What is the plural of the word octopus? One word will do.", "Answers with a plural"),
    ("How many minutes are there in a week?", "Says 10080"),
    ("Turn this into a polite refusal: no, I will not come on Friday.", "Writes a polite refusal"),
)
_LONGEST = 140
"""Characters of a task that is quoted; of a longer one its first clause is."""


def negatives(name: str, description: str, needs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(prompt, what a good answer does): near ones first, then tasks from elsewhere, without end."""
    yield from _excluded(description)
    deed = next((deed for deed in map(_deed, needs) if deed.count(" ") > 1), f"help with {name.replace('-', ' ')}")
    yield (
        f"Write one friendly sentence to my colleague Ana: ask whether she has time next week to {deed}. "
        "Only the sentence, please: nothing is to be done yet.",
        "Writes one sentence to Ana and does no part of what it asks her for",
    )
    yield (
        f'Translate this into Spanish and add nothing: "On Monday we will {deed}."',
        "Answers with that sentence in Spanish and does no part of what it speaks of",
    )
    yield (
        f'Shorten this for a calendar entry of at most six words: "Meet Ana, who is going to {deed} for us."',
        "Answers with at most six words and does no part of what they speak of",
    )
    while True:
        yield from _FAR


def _excluded(description: str) -> Iterator[tuple[str, str]]:
    """What the author says that the skill is not for, as a request."""
    for found in _NOT_FOR.finditer(" ".join(description.split())):
        for what in re.split(r",? or |, ", found["what"])[:2]:
            said = what.strip(" ,'\"`").removesuffix(" tasks")
            if len(said) > 3:
                yield f"I need help with {said}.", "Helps with that, or says what it would need to know first"


def _deed(need: str) -> str:
    """`Please read the table.` as `read the table`: what stands behind `to` in a sentence about it."""
    said = need.strip().rstrip(".!?")
    plain = re.sub(r"^Please ", "", said)
    if plain == said:
        plain = re.sub(r"^I need help with (?:this: )?", "help with ", said)
    plain = plain.replace("help me with ", "help with ", 1)
    if len(plain) > _LONGEST:
        plain = re.split(r"[,;:(]| and ", plain)[0][:_LONGEST].rstrip()
    return re.sub(r"[\"“”`]", "", plain[:1].lower() + plain[1:])
