"""Whether the parts of a body speak of one thing: how many of its own words stand on both sides of its weakest seam.

After Hearst (TextTiling, 1997), with one seam in place of many and the body's repeated words in place of windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from aces_ci.core.reading.lexis import STOP, vocabulary, words
from aces_ci.core.reading.outline import Code, Prose, outline
from aces_ci.core.reading.topic import spelled

OFTEN = 3
"""Parts from which on a word is one that the body is about."""
WORDS, PARTS = 12, 12
"""A body with fewer such words or fewer parts cannot tell."""
EDGE = 0.3
"""Share of the parts that either side of a seam holds at least."""
SHOWN = 4
GENERAL = STOP | vocabulary(
    """access across action add already always api app apply architecture available avoid back based best build call
    change changes check clear cli code com command common complete config configuration confirm content context
    core create critical current custom data default description design details development different directly
    directory docs document documentation environment error errors example examples existing explicit failed failure
    file files find first fix flow follow format full generate github good handling high https identify
    implementation include information input install instead instructions integration issues json key large level
    line list load local log management max message missing model multi multiple name needed never next non note
    notes open optional options output overview pass path pattern patterns performance post practices process
    production project purpose python quality query quick read real reference references relevant report request
    requests required requirements requires response result results return returns review rules run running scope
    scripts search section setup show simple single skip source specific start state status step steps structure
    summary system target template test tests text time title token tool tools true two type types update url usage
    validation value verification verify version workflow working write"""
)
"""Words of every subject: those that stand in more than a fifth of public skills."""


@dataclass(frozen=True, slots=True)
class Seam:
    """The place in the middle of a body across which it shares the fewest of its own words."""

    line: int
    """Of the body, 1-based: where the second side begins."""
    shared: float
    """Share of the occurrences of repeated words that the other side answers, in [0, 1]."""
    named: float
    """Share of the parts with a word of the card, on the side where it is smaller."""
    before: tuple[str, ...]
    """Words of the first side alone, most frequent first."""
    after: tuple[str, ...]


def card(name: str, description: str) -> frozenset[str]:
    """The words of a name and a description that are not of every subject."""
    return frozenset(words(f"{name.replace('-', ' ').replace('_', ' ')} {description}")) - GENERAL


@lru_cache(maxsize=512)
def seam(body: str, told: frozenset[str]) -> Seam | None:
    """The weakest seam, `told` being the card's words.

    None where a body is too short or repeats too few words of its own to tell.
    """
    total = {
        word: times
        for word, times in spelled(body).items()
        if times >= OFTEN and word not in GENERAL and len(word) > 2 and " " not in word
    }
    outlined = outline(body)
    parts: list[Prose | Code] = [*outlined.prose, *outlined.codes]
    parts.sort(key=lambda part: part.line)
    if len(total) < WORDS or len(parts) < PARTS:
        return None
    known = frozenset(total)
    left = dict.fromkeys(total, 0)
    answered, least, cut, then = 0, sum(total.values()), 0, left
    first, last = EDGE * len(parts), (1 - EDGE) * len(parts)
    for number, part in enumerate(parts):
        if answered < least and first <= number <= last:
            least, cut, then = answered, number, dict(left)
        for word in known & part.vocabulary:
            left[word] = times = left[word] + 1
            half = 2 * times - total[word]
            answered += 1 if half <= 0 else -1 if half > 1 else 0
    if not cut:
        return None
    hits = [not told.isdisjoint(part.vocabulary) for part in parts]
    return Seam(
        line=parts[cut].line,
        shared=2 * least / sum(total.values()),
        named=min(sum(hits[:cut]) / cut, sum(hits[cut:]) / (len(hits) - cut)),
        before=_most(total, [word for word in total if then[word] == total[word]]),
        after=_most(total, [word for word in total if then[word] == 0]),
    )


def _most(total: Mapping[str, int], found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(found, key=lambda word: (-total[word], word))[:SHOWN])
