"""The head of a CONNECT request (RFC 9110 section 9.3.6), read strictly: one form, everything else is refused."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.gateway.internet import PORT, DeniedError
from aces_ci.gateway.policy.request import printable

MAX_HEAD = 8 * 1024
MAX_FIELDS = 32
_LINE = re.compile(rb"CONNECT ([!-~]{1,400}) HTTP/1\.[01]")
"""1.0 as well: the proxies of Python before 3.12, pip's among them, are spoken to so."""
_TARGET = re.compile(r"([a-z0-9.-]{1,253}):([0-9]{1,5})")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)")
_NEVER = frozenset({"content-length", "transfer-encoding", "upgrade", "expect", "te", "trailer"})
"""A CONNECT has no body and changes no protocol; whoever sends these wants it read in two ways."""
_ONCE = frozenset({"host", "proxy-authorization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the client wants, before anybody asked whether it may."""

    host: str
    token: str | None
    """None: it presents none yet; clients like git wait to be asked."""


def parse(head: bytes) -> Asked:
    """The request of a head without its closing empty line.

    Raises:
        DeniedError: anything but `CONNECT name:443`, or a field that does not belong.
    """
    first, *rows = head.split(b"\r\n")
    line = _LINE.fullmatch(first)
    if line is None:
        raise DeniedError(403, "only CONNECT host:443")
    target = line.group(1).decode("ascii")
    shown = printable(target.rsplit(":", 1)[0], 253)
    match = _TARGET.fullmatch(target)
    if match is None:
        raise DeniedError(403, "only a plain lower-case host name", host=shown)
    host, port = match.group(1), int(match.group(2))
    fields = _fields(rows, shown)
    if port != PORT:
        raise DeniedError(403, f"only port {PORT}, not {port}", host=shown)
    if fields.get("host", host) not in (host, target):
        raise DeniedError(403, "its Host field names another host", host=shown)
    return Asked(host=host, token=_token(fields.get("proxy-authorization"), shown))


def _fields(rows: Sequence[bytes], shown: str) -> dict[str, str]:
    if len(rows) > MAX_FIELDS:
        raise DeniedError(431, f"more than {MAX_FIELDS} header fields", host=shown)
    found: dict[str, str] = {}
    for row in rows:
        match = _FIELD.fullmatch(row)
        if match is None:
            raise DeniedError(400, "a header field is malformed", host=shown)
        name = match.group(1).decode("ascii").lower()
        if name in _NEVER or (name in found and name in _ONCE):
            raise DeniedError(400, f"the header field {printable(name)} does not belong here", host=shown)
        found[name] = match.group(2).decode("latin-1").strip()
    return found


def _token(field: str | None, shown: str) -> str | None:
    """The password of `Basic`. Raises DeniedError: another scheme, or malformed."""
    if field is None:
        return None
    scheme, _, value = field.partition(" ")
    try:
        if scheme.lower() != "basic":
            raise ValueError(scheme)
        return base64.b64decode(value.strip(), validate=True).decode("ascii").partition(":")[2]
    except (binascii.Error, ValueError):
        raise DeniedError(407, "the token is not valid here", host=shown) from None
