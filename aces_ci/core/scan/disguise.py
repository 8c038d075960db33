"""Text as a model reads it: hidden characters gone, letters that look like Latin ones read as those.

Sources: Unicode TR39 (confusables), UAX 15 (compatibility forms: full-width and mathematical letters).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import re2

from aces_ci.core.scan.hidden_text import CONFUSABLE

_UNSEEN = re2.compile(r"[\x{AD}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{FEFF}\x{FE00}-\x{FE0F}\x{180E}]")
_DISGUISED = re2.compile(
    r"[\x{AD}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{FEFF}\x{180E}\x{FF21}-\x{FF5A}\x{1D400}-\x{1D7FF}"
    r"\x{2460}-\x{24FF}]|[\p{Cyrillic}\p{Greek}\p{Armenian}]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A text without its disguise. `offsets[i]` is where the character `i` of `text` stands in the original."""

    text: str
    offsets: tuple[int, ...]


def undisguised(text: str) -> Read | None:
    """The text as it is read; None where it is read as it stands, which is the common case."""
    if text.isascii() or not _DISGUISED.search(text):
        return None
    letters: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        for letter in char if char.isascii() else _as_read(char):
            letters.append(letter)
            offsets.append(at)
    offsets.append(len(text))
    plain = "".join(letters)
    return None if plain == text else Read(text=plain, offsets=tuple(offsets))


def _as_read(char: str) -> str:
    if _UNSEEN.search(char):
        return ""
    plain = CONFUSABLE.get(char) or unicodedata.normalize("NFKC", char)
    return plain if plain.isascii() and len(plain) == 1 else char
