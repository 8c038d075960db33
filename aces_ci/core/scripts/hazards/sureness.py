"""Signs that cannot be mistaken: what is hidden is there, what is sent is a secret, where it goes is a stranger's."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable

import re2

from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hosts import Host

SHORTEST = 24
"""Characters of an encoded text that is taken for code wherever it stands."""
NO_PAYLOAD = "What is decoded is not written out here, so it may be the caller's own."
NO_ADDRESS = "The other end is not written out here."
UNKNOWN_DATA = "What is sent there is not known to be private."
NO_SINK = "Where it goes may well be the user's own."
MEANT_FOR_IT = "It may be what that service is logged in to with."
_STRONG = re2.compile(
    r"(?i)(^|/)(\.ssh\b|id_(rsa|dsa|ecdsa|ed25519)|\.aws(/credentials)?/?$|\.netrc|_netrc|\.git-credentials|\.gnupg|"
    r"\.config/gh|\.config/\*|\.password-store|\.pgpass|\.claude/\.credentials|"
    r"\.codex/auth|login\.keychain|Login Data|logins\.json|key[34]\.db|wallet|\.bitcoin|\.ethereum|etc/g?shadow|"
    r"proc/\w+/environ|[\w.-]*history|[\w.*-]+\.kdbx)|^the (whole |secrets of the )?environment$|^the history "
    r"of commands$|dump-keychain"
)
"""Private keys, stores of credentials, the environment as a whole, the record of what was typed."""
_KEY_FILE = re2.compile(r"(?i)\.ssh\b|id_(rsa|dsa|ecdsa|ed25519)|\.gnupg|wallet|history|environment")
"""What holds no single value that some service asks for."""
_SETTINGS_FILE = re2.compile(r"(?i)(^|/)\.env(\.\w+)?$")
_OPEN_SINKS = frozenset({Host.DROP, Host.ADDRESS, Host.PLAIN})
"""No API that a setting belongs to is found there."""
_BLOB = re2.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_ESCAPED = re2.compile(r"(?:\\x[0-9a-fA-F]{2}){6,}")
_HEX = re2.compile(r"\b(?:[0-9a-fA-F]{2}){8,}\b")
_NUMBERS = re2.compile(r"\d{1,3}(?:\s*,\s*\d{1,3}){7,}")
_HANDED = re2.compile(
    r"(?:decode|atob|Buffer\.from|fromhex|unhexlify|decompress)\s*\(\s*b?['\"`][^'\"`]{8,}|"
    r"(?:decode|fromhex|unhexlify|decompress)\s*\(\s*(?:open|io\.open|pathlib\.Path|Path)\s*\(|"
    r"(?:echo|printf)\b(?:\s+-\w+|\s+['\"]?%s(?:\\n)?['\"]?)*\s+['\"]?[A-Za-z0-9+/_=-]{8,}|"
    r"<<<\s*['\"]?[A-Za-z0-9+/_-]{8,}={0,2}"
)
"""What is decoded stands in the call or on the line itself, or in a file that nobody reads."""


def strong(origin: str) -> bool:
    """Whether it is a secret that no service but its owner's own has any business with."""
    return _STRONG.search(origin.strip("\"'")) is not None


def leaving(origin: str, kinds: Collection[Host], *, part: bool = False, published: bool = False) -> str:
    """Why what is sent there may be daily work; "" where source and goal cannot be mistaken."""
    if strong(origin) and (not part or _KEY_FILE.search(origin)):
        return "" if published or set(kinds) & (_OPEN_SINKS | {Host.UNKNOWN}) else NO_SINK
    if set(kinds) & _OPEN_SINKS:
        return ""
    whole = not part and _SETTINGS_FILE.search(origin) is not None
    return "" if whole and Host.UNKNOWN in kinds else MEANT_FOR_IT


def payload(near: str, texts: Iterable[str]) -> str:
    """Why what is decoded may be the caller's; "" where the encoded text stands `near`, or in a text of the script."""
    if _HANDED.search(near):
        return ""
    return "" if any(_hides(text) for text in (near, *texts)) else NO_PAYLOAD


def _hides(text: str) -> bool:
    """Whether words, or something packed, are written in a text as digits or base64."""
    if _ESCAPED.search(text) or any(_words(bytes.fromhex(digits)) for digits in _HEX.findall(text)):
        return True
    numbers = ([int(number) for number in re2.findall(r"\d+", row)] for row in _NUMBERS.findall(text))
    return any(_encoded(blob) for blob in _BLOB.findall(text)) or any(
        _words(bytes(row)) for row in numbers if max(row) < 256
    )


def _words(data: bytes) -> bool:
    printable = sum(32 <= byte < 127 or byte in b"\t\n\r" for byte in data)
    return data.startswith((b"x\x9c", b"x\xda", b"\x1f\x8b")) or printable >= 0.9 * len(data)


def serving(text: str, *, value: bool = False) -> str:
    """Why code from the addresses in a text may be what its user asked for; "" where a stranger's is among them.

    With `value`, it is evaluated for what it says: careless where an API answers, and no more.
    """
    kinds = hosts.kinds(hosts.urls(text))
    public = not value and any(hosts.anybodys(url) for url in hosts.urls(text))
    far = _OPEN_SINKS | {Host.SHORTENER} | (set() if value else {Host.UNKNOWN})
    return "" if public or kinds & far else NO_ADDRESS


def _encoded(blob: str) -> bool:
    """Whether it is base64 of words or of something packed: no name, no path, no picture."""
    kinds = (
        any(c.islower() for c in blob),
        any(c.isupper() for c in blob),
        any(c.isdigit() or c in "+=" for c in blob),
    )
    if not all(kinds):
        return False
    plain = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _words(base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "==="[: -len(plain) % 4]))
    except ValueError:
        return False
