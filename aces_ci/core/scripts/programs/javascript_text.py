"""Where JavaScript is code and where it is comment or text: a light reading, enough to tell a deed from a mention."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import re2

_TOKEN = re2.compile(
    r"(?s)(?P<comment>//[^\n]*|/\*.*?\*/)|"
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|"
    r"(?P<pattern>(?:[=(,:!&|?{};\n\[]|return|typeof)[ \t]*/(?:[^/\\\n\[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n\[]|"
    r"\\.|\[(?:[^\]\\\n]|\\.)*\])*/)"
)
"""Comments, texts with their quotes, and regular expressions, which hold quotes that open nothing."""


@dataclass(frozen=True, slots=True)
class Read:
    """The ranges of a text that are no code, in order and apart."""

    comments: tuple[tuple[int, int], ...]
    texts: tuple[tuple[int, int], ...]

    def comment(self, at: int) -> bool:
        """Whether an offset stands in a comment."""
        return _inside(self.comments, at)

    def text(self, at: int) -> bool:
        """Whether an offset stands inside quotes, or in a regular expression."""
        return _inside(self.texts, at)


@lru_cache(maxsize=64)
def read(text: str) -> Read:
    """What of a JavaScript or TypeScript text is comment, and what is text; a template counts as one text."""
    comments: list[tuple[int, int]] = []
    texts: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        (comments if match.group("comment") else texts).append((match.start(), match.end()))
    return Read(tuple(comments), tuple(texts))


def _inside(spans: tuple[tuple[int, int], ...], at: int) -> bool:
    found = bisect_right(spans, (at, len(spans) + at + 1)) - 1
    return found >= 0 and spans[found][0] < at < spans[found][1]
