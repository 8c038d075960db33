"""The byte forms in which a secret can turn up in what we write."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""Forms below this many bytes would match by chance and are left out."""


def forms(secret: str) -> frozenset[bytes]:
    """Every literal form of one secret: as it is, escaped, percent-encoded, hex, reversed, base64, UTF-16."""
    found: set[bytes] = set()
    for text in {secret, secret.strip(), *(line.strip() for line in secret.splitlines())}:
        if len(text) >= SHORTEST:
            found.update(_literal(text))
            found.update(base64_cores(text))
    return frozenset(form for form in found if len(form) >= SHORTEST)


def wrapped(secret: str) -> frozenset[bytes]:
    """The base64 cores that are long enough for an encoder to break them over lines."""
    return frozenset(core for core in base64_cores(secret.strip()) if len(core) >= 12)


def base64_cores(text: str) -> Iterator[bytes]:
    """The characters that only the secret decides, at each of the three alignments, in both alphabets.

    What stands before the secret (`x-access-token:`, `api:`, a whole file) moves it by 0, 1 or 2 bytes; the
    characters at the seams also depend on the neighbours and are not part of the core.
    """
    for data in (text.encode(), text.encode("utf-16-le")):
        for shift in range(3):
            encoded = base64.b64encode(b"\0" * shift + data).rstrip(b"=")
            first = (shift * 8 + 5) // 6
            last = (shift + len(data)) * 8 // 6
            core = encoded[first:last]
            yield core
            yield core.replace(b"+", b"-").replace(b"/", b"_")


def _literal(text: str) -> Iterator[bytes]:
    data = text.encode()
    yield data
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield once.encode()
        yield once.replace("/", "\\/").encode()
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1].encode()
    yield "".join(f"\\u{unit:04x}" for unit in _units(text)).encode()
    yield repr(text)[1:-1].encode()
    yield repr(data)[2:-1].encode()
    for escaped in (quote(text, safe=""), quote(text), quote_plus(text), quote(quote(text, safe=""), safe="")):
        yield escaped.encode()
        yield _lower_percent(escaped).encode()
    yield b"".join(b"%%%02X" % byte for byte in data)
    yield b"".join(b"%%%02x" % byte for byte in data)
    yield data.hex().encode()
    yield data.hex().upper().encode()
    yield data.hex(" ").encode()
    yield data.hex(":").encode()
    yield text[::-1].encode()
    yield html.escape(text).encode()
    yield html.escape(text, quote=False).encode()
    yield base64.b32encode(data).rstrip(b"=")[: len(data) * 8 // 5]


def _units(text: str) -> Iterator[int]:
    data = text.encode("utf-16-be")
    for at in range(0, len(data), 2):
        yield int.from_bytes(data[at : at + 2], "big")


def _lower_percent(text: str) -> str:
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])
