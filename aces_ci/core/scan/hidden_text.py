"""Characters that a reviewer does not see and a model does: tags, bidi controls, zero widths, look-alikes.

Sources: Unicode TR36 and TR39 (confusables, mixed scripts), CVE-2021-42574 (bidi in source code).
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity


class Trick(StrEnum):
    """The kind of hidden text."""

    TAGS = "tags"
    BIDI = "bidi"
    ZERO_WIDTH = "zero_width"
    VARIATION = "variation"
    BLANK = "blank"
    CONTROL = "control"
    LOOK_ALIKE = "look_alike"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """One run of such characters. `line` and `column` are 1-based."""

    trick: Trick
    severity: Severity
    confidence: Confidence
    line: int
    column: int
    length: int
    what: str
    """What they are or spell, one clause; printable ASCII and the visible text around only."""


_TAGS = r"[\x{E0000}-\x{E007F}]+"
_RUN = re2.compile(
    r"(?P<tags>" + _TAGS + r")|(?P<bidi>[\x{202A}-\x{202E}\x{2066}-\x{2069}]+)"
    r"|(?P<variation>[\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}\x{180B}-\x{180D}]{2,}|[\x{E0100}-\x{E01EF}])"
    r"|(?P<zero>[\x{200B}-\x{200D}\x{2060}-\x{2064}\x{FEFF}\x{180E}\x{206A}-\x{206F}]+)"
    r"|(?P<blank>[\x{3164}\x{115F}\x{1160}\x{FFA0}\x{17B4}\x{17B5}]+)"
    r"|(?P<control>[\x{01}-\x{08}\x{0B}\x{0E}-\x{1F}\x{7F}\x{80}-\x{84}\x{86}-\x{9F}]+)"
)
_SUSPECT = re2.compile(
    r"[\x{180B}-\x{180E}\x{200B}-\x{200D}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{3164}\x{115F}\x{11"
    r"60}\x{FFA0}\x{17B4}\x{17B5}\x{FE00}-\x{FE0F}\x{FEFF}\x{E0000}-\x{E01EF}\x{01}-\x{08}\x{0B}\x{0E}-\x{1F}\x{7F}"
    r"-\x{84}\x{86}-\x{9F}]"
)
_RIGHT_TO_LEFT = re2.compile(r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}]")
_JOINED = re2.compile(
    r"[\p{Arabic}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{"
    r"Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Thai}\p{Lao}\p{Tibetan}\p{Mongolian}]"
)
_TURNED = re2.compile(r"[\w.]{3}")
_WORD = re2.compile(r"[\p{L}\p{M}\p{N}_]+")
_FOREIGN = re2.compile(r"[\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}]")
CONFUSABLE = {
    "а": "a", "е": "e", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "і": "i", "ј": "j", "ѕ": "s", "һ": "h",
    "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l", "к": "k", "м": "m", "т": "t", "в": "b", "н": "h",
    "А": "A", "В": "B", "Е": "E", "К": "K", "М": "M", "Н": "H", "О": "O", "Р": "P", "С": "C", "Т": "T", "Х": "X",
    "У": "Y", "І": "I", "Ј": "J", "Ѕ": "S",
    "ο": "o", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O",
    "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X",
    "օ": "o", "ս": "u", "ց": "g", "հ": "h", "ո": "n", "ԍ": "g",
}  # fmt: skip


@lru_cache(maxsize=512)
def find(text: str) -> tuple[Hidden, ...]:
    """Every run of hidden characters, and every word that mixes Latin with letters that look like it."""
    return tuple(_find(text)) if _SUSPECT.search(text) or _FOREIGN.search(text) else ()


def _find(text: str) -> Iterator[Hidden]:
    plain = not _RIGHT_TO_LEFT.search(text)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.isascii() and not _SUSPECT.search(line):
            continue
        for match in _RUN.finditer(line):
            found = _judge(match, line, number, plain)
            if found is not None:
                yield found
        yield from _look_alikes(line, number)


def tags(run: str) -> str:
    """The ASCII text that tag characters spell."""
    return "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)


def _judge(match: object, line: str, number: int, plain: bool) -> Hidden | None:
    kind, run = next((k, v) for k, v in match.groupdict().items() if v)  # type: ignore[attr-defined]
    start, end = match.start(), match.end()  # type: ignore[attr-defined]
    before, after = line[max(0, start - 1) : start], line[end : end + 1]
    judged: tuple[Trick, Severity, Confidence, str] | None = None
    high = Confidence.HIGH
    if kind == "tags":
        if before != "\U0001f3f4":  # the flags of England, Scotland and Wales are spelt with tags
            judged = (
                Trick.TAGS,
                Severity.CRITICAL,
                high,
                f"{len(run)} invisible tag characters that spell {ascii(tags(run))[:160]}",
            )
    elif kind == "bidi":
        turned = "\u202e" in run and len(set(run)) == 1 and _TURNED.match(line[end:]) is not None
        severity = Severity.CRITICAL if plain and turned else Severity.WARNING if plain else Severity.INFO
        judged = (
            Trick.BIDI,
            severity,
            high if plain else Confidence.LOW,
            f"{_names(run)}: the text is shown in another order than it is read",
        )
    elif kind == "variation":
        if len(run) >= 4:
            judged = (
                Trick.VARIATION,
                Severity.CRITICAL if len(set(run)) > 2 else Severity.WARNING,
                high,
                f"{len(run)} variation selectors in a row, which can carry any text",
            )
        elif not _emoji(before):
            judged = (Trick.VARIATION, Severity.INFO, Confidence.LOW, f"{_names(run)} where no emoji stands")
    elif kind == "zero":
        judged = _zero_width(run, before, after, start, number)
    elif kind == "blank":
        judged = (Trick.BLANK, Severity.WARNING, Confidence.MEDIUM, f"{_names(run)}: a letter that looks like nothing")
    else:
        escape = "\x1b" in run
        judged = (
            Trick.CONTROL,
            Severity.WARNING if escape else Severity.INFO,
            Confidence.MEDIUM,
            f"{_names(run)}: a control character",
        )
    if judged is None:
        return None
    trick, severity, confidence, what = judged
    return Hidden(
        trick=trick,
        severity=severity,
        confidence=confidence,
        line=number,
        column=start + 1,
        length=end - start,
        what=what,
    )


def _zero_width(
    run: str, before: str, after: str, start: int, number: int
) -> tuple[Trick, Severity, Confidence, str] | None:
    if len(run) >= 12 and len(set(run)) >= 2:
        return (
            Trick.ZERO_WIDTH,
            Severity.CRITICAL if _spelled(run) else Severity.WARNING,
            Confidence.HIGH,
            f"{len(run)} zero-width characters in a row, which can carry any text",
        )
    if set(run) <= {"\u200d", "\u200c"} and (
        _JOINED.search(before + after) or (_emoji(before) and _emoji(after)) or _emoji(before)
    ):
        return None
    if run == "\ufeff" and number == 1 and start == 0:
        return None
    letters = before.isalnum() and after.isalnum() and (before + after).isascii()
    if len(run) >= 3 or letters:
        return (
            Trick.ZERO_WIDTH,
            Severity.WARNING,
            Confidence.MEDIUM,
            f"{_names(run)} inside a word" if letters else f"{_names(run)}",
        )
    return Trick.ZERO_WIDTH, Severity.INFO, Confidence.LOW, _names(run)


def _spelled(run: str) -> bool:
    """Whether two signs of the run, taken for the digits of bytes, spell words; of three, one may part them."""
    signs = sorted(set(run))
    for zero, one in itertools.permutations(signs, 2):
        digits = "".join("0" if c == zero else "1" for c in run if c in {zero, one})
        for width in (7, 8):
            codes = [int(digits[at : at + width], 2) for at in range(0, len(digits) - width + 1, width)]
            if len(set(codes)) > 2 and all(32 <= code < 127 for code in codes):
                return True
    return False


def _emoji(character: str) -> bool:
    return bool(character) and (ord(character) >= 0x2190 or character in "#*0123456789©®")


def _names(run: str) -> str:
    distinct = dict.fromkeys(run)
    shown = ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, 'control').lower()}" for c in list(distinct)[:3])
    return shown if len(run) == 1 else f"{len(run)} hidden characters ({shown})"


def _look_alikes(line: str, number: int) -> Iterator[Hidden]:
    if not _FOREIGN.search(line):
        return
    for match in _WORD.finditer(line):
        word = match.group(0)[:80]
        foreign = [c for c in word if c in CONFUSABLE]
        latin = sum(1 for c in word if c.isascii() and c.isalpha())
        others = sum(1 for c in word if not c.isascii() and c.isalpha() and c not in CONFUSABLE)
        if not foreign or latin < 2 or others or len(foreign) > latin:
            continue
        looks = "".join(CONFUSABLE.get(c, c) for c in word)
        codes = ", ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(foreign))
        yield Hidden(
            trick=Trick.LOOK_ALIKE, severity=Severity.WARNING, confidence=Confidence.MEDIUM, line=number,
            column=match.start() + 1, length=len(word), what=f"a word that looks like {looks!a} holds {codes}",
        )  # fmt: skip
