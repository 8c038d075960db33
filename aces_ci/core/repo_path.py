"""Repository paths as text: git knows bytes, everything else here knows `str`.

Valid UTF-8 stays as it is. Bytes that are not UTF-8, and control characters (C0, DEL, C1), become `%XX`.
A `%` that already stands before such a pair is written `%25`, so two different paths never share one text:
otherwise a file called `a%0A` could hide behind one called `a` + newline.
"""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAIN = re.compile(rb"[ -$&-~]*")  # printable ASCII but `%`: nearly every path, and nothing to do
_LOOKS_ENCODED = re.compile("%(?=(?:[01][0-9A-F]|25|7F|[89A-F][0-9A-F]))")
_ENCODED = re.compile(rb"%([01][0-9A-F]|25|7F|[89A-F][0-9A-F])")


def text_of(raw: bytes) -> str:
    """The path as text, one-to-one with `raw`."""
    if _PLAIN.fullmatch(raw):
        return raw.decode("ascii")
    text = _LOOKS_ENCODED.sub("%25", raw.decode("utf-8", "surrogateescape"))
    text = "".join(_escaped(char) if "\udc80" <= char <= "\udcff" else char for char in text)
    return _CONTROL.sub(lambda match: _escaped(match[0]), text)


def bytes_of(text: str) -> bytes:
    """The path that `text_of` wrote as `text`."""
    return _ENCODED.sub(lambda match: bytes([int(match[1], 16)]), text.encode("utf-8", "surrogateescape"))


def parent_of(path: str) -> str:
    """The folder that holds `path`; "." for the top."""
    return path.rpartition("/")[0] or "."


def ancestors_of(path: str) -> tuple[str, ...]:
    """Every folder above `path`, nearest first, ending with "."; none for "." itself."""
    found = []
    while path != ".":
        path = parent_of(path)
        found.append(path)
    return tuple(found)


def join(root: str, path: str) -> str:
    """`path` below `root`, where "." is the top."""
    return path if root == "." else f"{root}/{path}"


def resolve(folder: str, target: str) -> str | None:
    """Where a relative `target` written in a file of `folder` points, or None where it leaves the top."""
    parts = [] if folder == "." else folder.split("/")
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."


def _escaped(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))
