"""Words that stand in a text as base64 or hexadecimal digits, where a model decodes what a reviewer skips."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass

import re2

_BLOB = re2.compile(r"[A-Za-z0-9+/_-]{28}[A-Za-z0-9+/_-]*={0,2}")
_HEX = re2.compile(r"^(?:[0-9a-f]{2})+$|^(?:[0-9A-F]{2})+$")
_WORDS = re2.compile(r"^[\t\n\r -~\x{A0}-\x{2FFF}\x{3040}-\x{9FFF}\x{AC00}-\x{D7AF}]+$")
MOST, LONGEST = 200, 20_000
"""Blobs of one text that are decoded, and characters of one: what is more or longer is data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Words and the range of the characters that carry them."""

    text: str
    start: int
    end: int


def find(text: str) -> Iterator[Encoded]:
    """Every blob that decodes to words: printable, with a blank in it."""
    for number, match in enumerate(_BLOB.finditer(text)):
        if number >= MOST:
            return
        words = _decoded(match.group(0)) if match.end() - match.start() <= LONGEST else None
        if words is not None:
            yield Encoded(text=words, start=match.start(), end=match.end())


def _decoded(blob: str) -> str | None:
    digits = blob.rstrip("=")
    try:
        if _HEX.search(blob):
            data = bytes.fromhex(blob)
        else:
            plain = digits.replace("-", "+").replace("_", "/")
            data = base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "==="[: -len(plain) % 4])
        words = data.decode("utf-8")
    except (ValueError, binascii.Error):
        return None
    return words if " " in words and _WORDS.search(words) else None
