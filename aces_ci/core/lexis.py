"""Words of a text as an agent's index would see them: content words, stems, concrete tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?|[぀-ヿ一-鿿가-힯]")
_CONCRETE = re.compile(
    r"(?:\.{0,2}/)?[\w@.-]+(?:/[\w@.{}<>*-]+)+"  # paths, package names
    r"|--?[A-Za-z][\w-]+"  # options
    r"|\b[\w-]+\.(?:[a-z][a-z0-9]{0,4})\b"  # file names, modules
    r"|\b[A-Za-z]+_[A-Za-z0-9_]+\b"  # identifiers
    r"|\b[a-z]+[A-Z]\w+\b"
    r"|\b\d+(?:[.,:]\d+)*(?:%|[a-zA-Z]{1,3}\b)?"  # numbers with their units
)
STOP = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing done down during each either else etc even every few
    for from further get give given go had has have having he her here hers him his how however i if in into is
    it its itself just keep let like make makes making many may me might more most much must my need needs new
    no nor not now of off often on once one only or other others our out over own per please put same say see
    set shall she should so some such take than that the their them then there these they thing things this
    those through to too under until up upon us use used user users uses using very via want was way we well
    were what when where whether which while who why will with within without work works would yet you your
    ask asked asks asking skill skills agent agents help helps task tasks""".split()  # noqa: SIM905
)
_SUFFIXES = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ions",
    "ion",
    "ies",
    "ers",
    "er",
    "ed",
    "es",
    "s",
    "ly",
    "e",
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A rough English stem, enough to match `extracts`, `extraction` and `extracting`; others stay."""
    if len(word) < 4 or not word.isascii():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


@lru_cache(maxsize=2_048)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words in order; a CJK character is a word."""
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=2_048)
def stems(text: str) -> frozenset[str]:
    """The distinct stems of the content words."""
    return frozenset(
        stem(word) for word in set(words(text)) if (word not in STOP and len(word) > 1) or ord(word[0]) > 0x2FFF
    )


@lru_cache(maxsize=2_048)
def concrete(text: str) -> frozenset[str]:
    """Distinct tokens that name something exactly: paths, options, file names, identifiers, numbers."""
    return frozenset(_CONCRETE.findall(text))


def jaccard(left: Iterable[str], right: Iterable[str]) -> float:
    """Shared over all, 0 for two empty sets."""
    one, other = frozenset(left), frozenset(right)
    return len(one & other) / len(one | other) if one | other else 0.0
