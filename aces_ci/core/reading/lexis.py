"""Words of a text as an agent's index would see them: content words, stems, tokens that name exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?")
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_EXACT = re.compile(
    r"(?:\.{0,2}/)?[\w@.-]+(?:/[\w@.{}<>*-]*)+"  # paths, package names
    r"|--?[A-Za-z][\w-]*"  # options
    r"|[\w-]+\.[a-z][a-z0-9]{0,4}"  # file names, modules
    r"|[A-Za-z]+_[A-Za-z0-9_]+"  # identifiers
    r"|[a-z]+[A-Z]\w+"
    r"|[$€£~]?\d+(?:[.,:]\d+)*(?:%|[a-zA-Z]{1,3})?"  # numbers with their units
)
_ABBREVIATIONS = frozenset({"and/or", "e.g", "i.e", "etc"})
_EDGES = "`*()[]{},;:\"'“”!?|&=+<>"
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
_NO_CONTENT = STOP | frozenset(map(chr, range(128)))
"""And single letters; of scripts written without blanks one is a word."""
_SUFFIXES = "ations ation ments ment ings ing ions ion ies ers er ed es s ly e".split()  # noqa: SIM905


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


def words(text: str) -> list[str]:
    """Lower-case words in order; of scripts written without blanks each character is one, at the end."""
    lowered = text.lower()
    if lowered.isascii():
        return _WORD.findall(lowered)
    return _WORD.findall(_WIDE.sub(" ", lowered)) + _WIDE.findall(lowered)


@lru_cache(maxsize=1_024)
def stems(text: str) -> frozenset[str]:
    """The distinct stems of the content words."""
    return stemmed(frozenset(words(text)))


@lru_cache(maxsize=1_024)
def stemmed(found: frozenset[str]) -> frozenset[str]:
    """The same of words that are already told apart."""
    return frozenset(map(stem, found - _NO_CONTENT))


@lru_cache(maxsize=1_024)
def exact(text: str) -> frozenset[str]:
    """Distinct tokens that name something exactly: paths, options, file names, identifiers, numbers."""
    # A word of letters in their usual case names nothing exactly, and most tokens are such, before the marks around
    # them are taken off and after.
    marked = {token.strip(_EDGES).rstrip(".") for token in _unusual(set(text.split()))}
    return frozenset(filter(_EXACT.fullmatch, _unusual(marked))) - _ABBREVIATIONS


def _unusual(tokens: set[str]) -> list[str]:
    return [token for token in tokens if not (token.isalpha() and (token.islower() or token.istitle()))]


def jaccard(left: Iterable[str], right: Iterable[str]) -> float:
    """Shared over all, 0 for two empty sets."""
    one, other = frozenset(left), frozenset(right)
    return len(one & other) / len(one | other) if one | other else 0.0


def vocabulary(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between them."""
    return frozenset(text.split())
