"""Whether a text that came back holds a skill's own words: the evidence that the skill reached the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import re2

LEAST = 8
"""Letters and digits of a line that no other text is likely to hold."""
MUCH = 0.5
"""Share of a skill's lines from which on a text is that skill, wherever it came from."""
_DECLARED = re2.compile(r"(?m)^\s*(?:\d+[\t:→|-]\s*)?name:[ \t]*[\"']?([\w.@:/ -]{1,100}?)[\"']?[ \t]*$")
Texts = Mapping[str, str]
"""Skill's name, casefolded, to the text of its SKILL.md."""


@lru_cache(maxsize=256)
def _lines(text: str) -> tuple[str, ...]:
    """The telling lines, white space folded, longest first."""
    folded = (" ".join(line.split()) for line in text.splitlines())
    telling = {line for line in folded if sum(letter.isalnum() for letter in line) >= LEAST}
    return tuple(sorted(telling, key=len, reverse=True))


def known(text: str | None) -> bool:
    """Whether there is a text with lines to look for."""
    return bool(text and _lines(text))


def holds(text: str, output: str) -> bool:
    """Whether a line of the skill stands in the output."""
    folded = " ".join(output.split())
    return any(line in folded for line in _lines(text))


def holds_much(text: str, output: str) -> bool:
    """Whether so many lines of it stand there that the output is the skill."""
    lines = _lines(text)
    probes = lines[:3]
    if not any(line[:60] in output for line in probes):  # nearly every output, at the price of three look-ups
        return False
    folded = " ".join(output.split())
    return sum(line in folded for line in lines) >= max(1.0, MUCH * len(lines))


def declared(output: str) -> Iterator[str]:
    """Names that front matter in an output gives."""
    if "name:" in output:
        yield from (name.strip() for name in _DECLARED.findall(output))


def owners(output: str, texts: Texts) -> Iterator[str]:
    """Skills of which a line stands in the output."""
    yield from (name for name, text in texts.items() if known(text) and holds(text, output))
