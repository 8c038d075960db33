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


def whose(output: str, texts: Texts) -> str | None:
    """The skill of which so much stands in the output that it is that skill, wherever it came from."""
    shares = {name: _share(text, output) for name, text in texts.items()}
    best = max(shares, key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] >= MUCH else None


def _share(text: str, output: str) -> float:
    lines = _lines(text)
    if not any(line[:60] in output for line in lines[:3]):  # nearly every output, at the price of three look-ups
        return 0.0
    folded = " ".join(output.split())
    return sum(line in folded for line in lines) / len(lines)


def declared(output: str) -> Iterator[str]:
    """Names that front matter in an output gives."""
    if "name:" in output:
        yield from (name.strip() for name in _DECLARED.findall(output))


def owners(output: str, texts: Texts) -> Iterator[str]:
    """Skills of which a line stands in the output that no other one has: headings are often shared."""
    folded = " ".join(output.split())
    told: set[str] = set()
    for name, text in texts.items():
        shared = {line for other in texts.values() if other != text for line in _lines(other)}
        if text not in told and any(line in folded and line not in shared for line in _lines(text)):
            told.add(text)
            yield name
