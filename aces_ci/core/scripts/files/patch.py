"""Files that a patch changes, in the form of Codex (`*** Update File: x`) or of `diff -u`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import re2

from aces_ci.core.scripts.files.touch import How, Touch

BEGIN = "*** Begin Patch"
_HEAD = re2.compile(r"(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)[ \t\r]*$")
_UNIFIED = re2.compile(r"(?m)^--- (\S[^\t\n]*)(?:\t[^\n]*)?\n\+\+\+ (\S[^\t\n]*)")
_NONE = "/dev/null"


def touches(text: str) -> tuple[Touch, ...]:
    """In the order of the text; empty for a text that is no patch. A moved file is written anew and deleted."""
    if BEGIN not in text and "\n+++ " not in text:
        return ()
    return tuple(_own(text) if BEGIN in text else _unified(text))


def _own(text: str) -> Iterator[Touch]:
    heads = list(_HEAD.finditer(text))
    before = ""
    for head, following in zip_longest(heads, heads[1:]):
        verb, path = head.group(1), head.group(2)
        added = _added(text[head.end() : following.start() if following else len(text)])
        if verb == "Move to":
            yield Touch(how=How.DELETE, path=before)
        how = How.DELETE if verb == "Delete File" else How.WRITE
        yield Touch(how=how, path=path, adds=verb == "Update File", text=added if how is How.WRITE else None)
        before = path


def _unified(text: str) -> Iterator[Touch]:
    heads = list(_UNIFIED.finditer(text))
    for head, following in zip_longest(heads, heads[1:]):
        old, new = (_plain(head.group(number)) for number in (1, 2))
        if new == _NONE:
            yield Touch(how=How.DELETE, path=old)
        else:
            added = _added(text[head.end() : following.start() if following else len(text)])
            yield Touch(how=How.WRITE, path=new, adds=old != _NONE, text=added)


def _plain(path: str) -> str:
    return path[2:] if path[:2] in {"a/", "b/"} else path


def _added(hunk: str) -> str:
    return "\n".join(line[1:] for line in hunk.split("\n") if line[:1] == "+")
