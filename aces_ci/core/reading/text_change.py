"""Which lines of a text came and went, and what in them an agent could have followed."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

_SPAN = re.compile(r"`([^`\n]{2,80})`")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]{1,40}")
_FILE = re.compile(r"[\w./-]{1,80}\.(?:py|sh|js|ts|rb|sql|json|yaml|yml|csv)\b")
_WORD = re.compile(r"[a-z]{4,}")
_EMPTY = frozenset({"with", "that", "this", "then", "when", "from", "into", "your", "must", "should", "have", "each"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLine:
    """One line, 1-based, on the side that has it."""

    line: int
    text: str

    @property
    def signals(self) -> tuple[str, ...]:
        """Flags first, then file names, then code spans: what would show up literally in a call."""
        found = (*_FLAG.findall(self.text), *_FILE.findall(self.text), *_SPAN.findall(self.text))
        return tuple(dict.fromkeys(found))

    @property
    def words(self) -> frozenset[str]:
        """Content words, lower case, by their first six letters so that "totals" meets "total"."""
        return frozenset(word[:6] for word in _WORD.findall(self.text.lower()) if word not in _EMPTY)


def changed_lines(before: str, after: str) -> tuple[tuple[ChangedLine, ...], tuple[ChangedLine, ...]]:
    """(added, removed) lines, blank ones left out."""
    old, new = before.split("\n"), after.split("\n")
    added, removed = [], []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        removed += [ChangedLine(line=n + 1, text=old[n]) for n in range(i1, i2) if old[n].strip()]
        added += [ChangedLine(line=n + 1, text=new[n]) for n in range(j1, j2) if new[n].strip()]
    return tuple(added), tuple(removed)
