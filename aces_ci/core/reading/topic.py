"""What a skill is about, by its name, its description and its body: whether the three speak of one thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from aces_ci.core.reading.lexis import STOP, stem, stemmed, stems, words
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.reference import One
from aces_ci.core.skill import Skill

MOST_FREQUENT = 12
OFTEN = 200
"""Distinct words from which on a body repeats those it is about."""
SHARED = 4
"""Of the most frequent words of a body so many are on a card that fits it, if not more."""
ORDINARY, FOREIGN = 0.3, 0.7
"""Shares of a description's words that the body lacks: an ordinary one, and one from which on nothing fits."""
LONG = 3
"""Letters from which a word within another counts as the same: `bug` in `debugging`."""
LATIN = 0.6
"""Share of the words that have to be of plain letters."""
_QUOTED = re.compile(r"[\"“'‘`«][^\"”'’`»\n]{3,140}[\"”'’`»]")


@dataclass(frozen=True, slots=True)
class Strangeness:
    """How little two things fit, each in [0, 1]."""

    title: float | None
    """The body's title against the name and the description; None where there is none."""
    name: float
    """Share of the name's words that the body never uses."""
    promise: float
    """The description's words that the body lacks, an ordinary share apart; 1 where it promises nothing."""
    frequent: float
    """The body's frequent words that neither name nor description hold."""
    described: float
    """Those that the description does not hold."""
    card: float
    """1 where name and title share no word with the description."""
    leading: tuple[str, ...]
    """The body's most frequent words that the card lacks."""
    neighbour: str
    """The skill beside it whose whole name the title holds, while it lacks a part of this one's; mostly empty."""


@lru_cache(maxsize=512)
def spelled(body: str) -> Mapping[str, int]:
    """In how many parts of a body each word stands."""
    parts = outline(body)
    found = [*(part.vocabulary for part in parts.prose), *(code.vocabulary for code in parts.codes)]
    return Counter(chain.from_iterable(found))


@lru_cache(maxsize=512)
def frequent(body: str) -> Mapping[str, str]:
    """The stems that occur in most parts of a body, most of all first, each with a word that has it."""
    told = spelled(body)
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    least = 2 if len(told) > OFTEN else 1  # in a body of some length what stands once is not frequent
    for word, times in told.items():
        if times >= least and len(word) > 2 and word not in STOP and " " not in word:
            root = stem(word)
            counts[root] += times
            if root not in shown or (-times, word) < (-told[shown[root]], shown[root]):
                shown[root] = word
    most = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_FREQUENT]
    return {root: shown[root] for root, _ in most}


def promised(description: str) -> frozenset[str]:
    """Content words of a description, without what it quotes: a user's words are no promise."""
    return stems(_QUOTED.sub(" ", description)) or stems(description)


def strangeness(skill: Skill) -> Strangeness | None:
    """How far name, description and body of a skill are from one another.

    None where one of them is mostly of a script that is not told apart into words here, Chinese for example, and where
    the name holds filler words alone (`doing-tasks`), which fit any body: then nobody can tell.
    """
    return _strangeness(One(skill))


@lru_cache(maxsize=8)
def _strangeness(one: One) -> Strangeness | None:
    """Two rules ask for the same skill."""
    skill = one.skill
    parts = outline(skill.body)
    called = skill.name or skill.directory
    name, told = _named(called), stems(skill.description or "")
    promise = promised(skill.description or "")
    known = stemmed(parts.vocabulary)
    if not name or not all(map(_latin, (name, told, known))):
        return None
    heading = next((heading.text for heading in parts.headings[:1] if heading.level == 1), "")
    title = stems(heading)
    often = frequent(skill.body)
    missing = len(promise - known) / len(promise) if promise else 1.0
    names = name | stems(parts.headings[0].text if parts.headings else "")
    return Strangeness(
        title=_apart(called, name, heading, title, told) if title and _latin(title) else None,
        name=len(name - known) / len(name),
        promise=_clipped((missing - ORDINARY) / (FOREIGN - ORDINARY)),
        frequent=_clipped(1 - sum(word in name or word in told for word in often) / SHARED),
        described=_clipped(1 - sum(word in told for word in often) / SHARED),
        card=float(not any(_same(one, other) for one in names for other in told)),
        leading=tuple(word for root, word in often.items() if root not in name and root not in told),
        neighbour=next((other for other in _beside(skill) if _named(other) <= title and not _named(other) <= name), "")
        if _left_out(name, heading, title)
        else "",
    )


def _left_out(name: frozenset[str], heading: str, title: frozenset[str]) -> int:
    """How many words of the name the title lacks, also where it is written as one word."""
    run_on = "".join(words(heading))
    return sum(word not in run_on and not any(_same(word, other) for other in title) for word in name)


def _apart(called: str, name: frozenset[str], heading: str, title: frozenset[str], told: frozenset[str]) -> float:
    """The mean of what the title leaves out of the name and of what it says beyond name and description."""
    joined = "".join(words(called.replace("-", " ").replace("_", " ")))
    beyond = sum(word not in joined and not any(_same(word, other) for other in name | told) for word in title)
    return float((_left_out(name, heading, title) / len(name) * beyond / len(title)) ** 0.5)


def _named(name: str) -> frozenset[str]:
    return stems(name.replace("-", " ").replace("_", " "))


def _beside(skill: Skill) -> Iterator[str]:
    """The neighbours' names of more than one word: one word stands in many titles."""
    return (sibling.name for sibling in skill.siblings if len(_named(sibling.name)) > 1)


def _same(one: str, other: str) -> bool:
    return one == other or (len(one) >= LONG and one in other) or (len(other) >= LONG and other in one)


def _latin(found: frozenset[str]) -> bool:
    return sum(word.isascii() for word in found) >= LATIN * len(found)


def _clipped(share: float) -> float:
    return max(0.0, min(1.0, share))
