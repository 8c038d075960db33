"""Text of others as a judge may see it: nothing hidden, cut where it says so, as JSON between unforeseeable marks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import re2

ELISION = "[...]"
"""Stands where text was left out, with the number of characters beside it."""
_INVISIBLE = re2.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\x{ad}\x{34f}\x{61c}\x{115f}\x{180e}\x{3164}"
    r"\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fff9}-\x{fffb}\x{1d173}-\x{1d17a}"
    r"\x{e0000}-\x{e007f}\x{e0100}-\x{e01ef}]"
)
_SEPARATORS = str.maketrans("\u2028\u2029", "  ")


def cleaned(text: str) -> str:
    """Without colours of a terminal, controls, zero-width, bidi, filler and tag characters; line ends and tabs stay.

    What a terminal would take as a title or a link stays as text: an agent reads it, so a judge must.
    """
    return str(_INVISIBLE.sub("", text.translate(_SEPARATORS)))


def folded(text: str) -> str:
    """White space folded to single blanks, ends trimmed, case as it is: how quotes are compared."""
    return " ".join(text.split())


def cut(text: str, limit: int) -> str:
    """Head and tail of a text longer than `limit` characters, with a mark that says how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n{ELISION} {len(text) - 2 * half} characters left out {ELISION}\n{text[-half:]}"


def fenced(data: Mapping[str, object], salt: str = "") -> str:
    """`data` as JSON between two lines that carry a digest of it.

    The digest covers the very text that would have to contain it, so nobody inside can write the closing line.
    Equal data gives equal marks, which keeps a provider's prefix cache and our own cache warm; `salt` sets two
    askings of the same data apart.
    """
    body = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=False)
    nonce = hashlib.sha256(f"{salt}\0{body}".encode("utf-8", "replace")).hexdigest()[:20]
    return f"=== data {nonce} ===\n{body}\n=== end {nonce} ==="
