"""Tokens and keys in a text: a provider's shape, enough randomness, and no sign of a placeholder."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from aces_ci.core.finding import Confidence
from aces_ci.core.scan.token_shapes import SHAPES, Shape
from aces_ci.core.skill import Place

MAX_CHARACTERS = 4_000_000
"""What follows is not searched."""
_PLACEHOLDER = re2.compile(
    r"(?i)(example|sample|dummy|placeholder|changeme|change-me|replace|insert|redacted|your[-_ ]?|my[-_]?(secret|"
    r"token|key|password)|fake|test[-_]?(key|token|secret)|"
    r"xxx|\*\*\*|\.\.\.|…|<|>|\$\{|\{\{|%s|todo|0{8}|1234567|abcdef(g|0)|deadbeef|foobar|lorem|asdf|qwerty|notreal|"
    r"not-a-real|dontuse|secret123|password123?|hunter2|deprecated|s3cr3t|p@ss)"
)
_COMMON = frozenset(
    [
        "password",
        "passwd",
        "passw0rd",
        "pass",
        "secret",
        "admin",
        "root",
        "user",
        "username",
        "postgres",
        "mysql",
        "mongo",
        "redis",
        "guest",
        "token",
        "apikey",
        "test",
        "testing",
        "pw",
        "pwd",
        "mypassword",
        "yourpassword",
        "changeit",
        "demo",
        "default",
        "localhost",
        "prod",
        "dev",
    ]
)
"""What people write where a password goes in an example."""
_WORDS = re2.compile(r"(?i)^(?:[a-z]{1,8}\d{0,2}[-_.]){2,}[a-z]{1,8}\d{0,2}$")
"""Short words with dashes between them, such as `sk-or-v1-project1-key`; a random value is not cut so."""
_TELLING = ("key", "token", "secret", "project", "example", "your", "here", "api")
_MADE_UP = re2.compile(r"(?i)^(?:test|demo|example|sample|passw[o0]rd|secret|admin)\d{0,4}\W{0,4}$")
_COUNTED = re2.compile(r"(?i)a1b2c3|1a2b3c|a0b1c2|aabbcc|112233|abc123|123abc|x1y2z3")
_SEQUENCES = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "9876543210", "1234567890")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One token. It never holds the token itself, so that no report can leak it."""

    provider: str
    place: Place
    confidence: Confidence
    start: int
    """Character offsets of the whole match in the text."""
    end: int
    masked: str
    """The first four characters and the length, fit for a message."""


@cache
def _compiled() -> tuple[tuple[Shape, Any], ...]:
    return tuple((shape, re2.compile(shape.pattern)) for shape in SHAPES)


@cache
def _markers() -> tuple[tuple[str, ...], Any]:
    markers = tuple(sorted({marker for shape in SHAPES for marker in shape.markers}))
    options = re2.Options()
    options.max_mem = 1 << 28  # a text that holds every marker must not make the pass give up
    together = re2.Set.SearchSet(options)
    for marker in markers:
        together.Add(re2.escape(marker))
    together.Compile()
    return markers, together


def _present(lowered: str) -> frozenset[str]:
    """The markers that occur, found in one pass over the text."""
    markers, together = _markers()
    return frozenset(markers[at] for at in together.Match(lowered) or ())


def find(text: str) -> tuple[Hit, ...]:
    """Every token in `text`, in the order of the text; of two that overlap the surer one, then the earlier."""
    text = text[:MAX_CHARACTERS]
    present = _present(text.lower())
    starts: list[int] | None = None
    found: list[Hit] = []
    for shape, pattern in _compiled():
        if shape.markers and present.isdisjoint(shape.markers):
            continue
        for match in pattern.finditer(text):
            secret = match.group(1)
            if placeholder(secret) or entropy(secret) < shape.entropy:
                continue
            starts = starts if starts is not None else _line_starts(text)
            found.append(
                Hit(
                    provider=shape.provider,
                    place=_place(starts, match.start(), match.end()),
                    confidence=shape.confidence,
                    start=match.start(),
                    end=match.end(),
                    masked=f"{match.group(0)[:4]}… ({match.end() - match.start()} characters)",
                )
            )
    return _apart(found)


def entropy(text: str) -> float:
    """Shannon entropy of a text over its own characters, in bits per character."""
    if not text:
        return 0.0
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def placeholder(secret: str) -> bool:
    """Whether a person would see at once that it stands for a secret: words, runs, counting."""
    if _PLACEHOLDER.search(secret) or secret.lower().strip("_-$") in _COMMON:
        return True
    lowered = secret.lower()
    if any(sequence[at : at + 6] in lowered for sequence in _SEQUENCES for at in range(len(sequence) - 5)):
        return True
    if _WORDS.search(secret) and any(word in lowered for word in _TELLING):
        return True
    if _COUNTED.search(secret) or _MADE_UP.search(secret):
        return True
    longest, run, last = 0, 0, ""
    for character in lowered:
        run = run + 1 if character == last else 1
        longest, last = max(longest, run), character
    return longest >= 5


def _apart(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    sure = list(Confidence)
    taken: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (sure.index(h.confidence), h.start, -h.end)):
        if all(hit.end <= other.start or hit.start >= other.end for other in taken):
            taken.append(hit)
    return tuple(sorted(taken, key=lambda h: h.start))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at != -1:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _place(starts: Sequence[int], start: int, end: int) -> Place:
    first, last = bisect_right(starts, start), bisect_right(starts, max(end - 1, start))
    return Place(line=first, column=start - starts[first - 1] + 1, end_line=last, end_column=end - starts[last - 1] + 1)
